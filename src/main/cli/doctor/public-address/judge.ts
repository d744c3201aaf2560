import { Failure } from '../../../../domain/failure/failure.ts';
import { PROBE_PATH } from '../../../../transports/ops/probe.ts';
import type { ProbeReport } from '../../../../transports/ops/probe-report.ts';
import { type Finding, fail, ok, warn } from '../finding.ts';
import type { OtherAnswer } from './ask.ts';

export const REACHED = 'public address';
export const PREFIX = 'proxy path';
export const HEADERS = 'proxy headers';
export const CLIENT = 'client address';
export const LINKS = 'links';

/** An address for documentation (RFC 5737), which no client has. */
export const FORGED_ADDRESS = '192.0.2.1';

const REMEDIES: Readonly<Record<string, string>> = {
  connect_refused: 'nothing listens there: start the gateway and its reverse proxy, or correct the address',
  dns: 'its name cannot be resolved here: check its DNS record',
  tls: 'its certificate is not accepted: see the finding "certificate"',
  proxy: 'the proxy of HTTPS_PROXY or HTTP_PROXY refuses the connection: add the name to NO_PROXY',
};
const OTHER_REMEDY =
  'check the reverse proxy and the firewall; if this machine cannot reach its own public address, run the command elsewhere with --url';

/** Explains why there is no report. */
export function unreached(asked: OtherAnswer | Failure, url: string): Finding {
  if (asked instanceof Failure) {
    const { kind } = asked;
    return warn(REACHED, `${url} does not respond (${kind}): ${REMEDIES[kind ?? ''] ?? OTHER_REMEDY}`);
  }
  const { status, location, server, isGateway } = asked;
  const where = `${url} responds with HTTP ${status}`;
  if (isGateway) {
    return warn(
      REACHED,
      `${url} is a gateway that does not accept this command: run it with the settings (SWITCHYARD_SECRET or --data) and the version of that gateway`,
    );
  }
  if (status >= 300 && status < 400) {
    return fail(
      REACHED,
      `${where}, a redirect to ${place(location)}: set server.public_url to the address that it leads to`,
    );
  }
  if (status === 502 || status === 503 || status === 504) {
    return warn(
      REACHED,
      `${where}: its reverse proxy does not reach the gateway. Start the gateway, or correct the proxy`,
    );
  }
  if (status === 401 || status === 403) {
    return fail(
      REACHED,
      `${where}: something in front of the gateway asks for credentials or blocks ${PROBE_PATH}. Let /v1/ through`,
    );
  }
  const who = server === null ? '' : ` (${server.slice(0, 60)})`;
  return fail(REACHED, `${where}${who}, and not the gateway: make the reverse proxy pass all paths on to it`);
}

/** Returns the address without its query, which repeats the token. */
function place(location: string | null): string {
  return location === null ? 'nowhere' : location.replace(/\?.*$/s, '').slice(0, 200).replace(PROBE_PATH, '');
}

/** Judges the path at which a request has arrived. */
export function judgePath({ path }: ProbeReport, url: string): Finding {
  if (path === PROBE_PATH) return ok(PREFIX, 'the gateway receives the paths that it serves');
  const extra = path.slice(0, -PROBE_PATH.length);
  const prefix = new URL(url).pathname.replace(/\/+$/, '');
  const remedy =
    extra === prefix
      ? `remove ${prefix} in the reverse proxy (nginx: "location ${prefix}/ { proxy_pass http://gateway/; }", with the slash at the end)`
      : 'make the reverse proxy pass paths on unchanged';
  return fail(
    PREFIX,
    `the gateway receives ${path} instead of ${PROBE_PATH}, and answers all requests with 404: ${remedy}`,
  );
}

/** Judges which of the client's headers have arrived. */
export function judgeHeaders({ headers }: ProbeReport, sent: Readonly<Record<string, string>>): Finding {
  const lost = Object.keys(sent).filter((name) => headers[name] !== sent[name]);
  if (lost.length === 0) return ok(HEADERS, 'keys and versions of all formats arrive unchanged');
  return fail(
    HEADERS,
    `${lost.join(', ')} ${lost.length === 1 ? 'does' : 'do'} not arrive as sent, so clients cannot use ${lost.length === 1 ? 'it' : 'them'}: make the reverse proxy pass on all headers`,
  );
}

/** Judges whose address the gateway believes. The request carried `FORGED_ADDRESS`, as a client could write it. */
export function judgeClient(report: ProbeReport, url: string): Finding {
  const { peer, client, is_peer_trusted: isTrusted } = report;
  const hops = (report.headers['x-forwarded-for'] ?? '').split(',').map((hop) => hop.trim());
  const last = hops.at(-1);
  const isForwarded = last !== '' && last !== FORGED_ADDRESS;
  if (isTrusted && last === FORGED_ADDRESS) {
    return fail(
      CLIENT,
      `the reverse proxy at ${peer} passes on X-Forwarded-For as clients write it, so anyone can claim any address: make it append or replace the header (nginx: "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;"), or remove ${peer} from server.trusted_proxies`,
    );
  }
  if (isForwarded && isTrusted) return ok(CLIENT, `${client}, from X-Forwarded-For of the trusted proxy ${peer}`);
  if (isForwarded) {
    return warn(
      CLIENT,
      `a reverse proxy at ${peer} sends X-Forwarded-For and is not trusted, so all clients share its address and its limits: add it to server.trusted_proxies`,
    );
  }
  // The gateway has no TLS, and a direct request names it as the client does.
  if (isTrusted || url.startsWith('https:') || new URL(report.origin).host !== new URL(url).host) {
    return warn(
      CLIENT,
      `the reverse proxy at ${peer} sends no X-Forwarded-For, so all clients share its address and its limits: make it send the header, and list the proxy in server.trusted_proxies`,
    );
  }
  return ok(CLIENT, `${client}, from the connection; no reverse proxy was noticed`);
}

/** Judges the address with which links begin. */
export function judgeLinks({ public_url: configured, origin }: ProbeReport, url: string): Finding {
  if (configured !== null) {
    if (configured === url) return ok(LINKS, `begin with ${url}, as server.public_url says`);
    return warn(
      LINKS,
      `begin with ${configured}, not with ${url}: correct server.public_url if clients use the latter`,
    );
  }
  if (origin === url) return ok(LINKS, `begin with ${url}, as the request says`);
  return warn(
    LINKS,
    `begin with ${origin} instead of ${url}: set server.public_url, or make the reverse proxy send X-Forwarded-Proto, -Host and -Prefix and list it in server.trusted_proxies`,
  );
}
