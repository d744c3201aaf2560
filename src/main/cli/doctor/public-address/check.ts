import { randomBytes } from 'node:crypto';
import { isWithin, parseAddressRange, parseNetworkAddress } from '../../../../domain/access/network-address.ts';
import { Failure } from '../../../../domain/failure/failure.ts';
import type { Clock } from '../../../../engine/ports/clock.ts';
import type { Upstream } from '../../../../engine/ports/upstream.ts';
import { SocketUpstream } from '../../../../upstream/socket-upstream.ts';
import { UpstreamGuard } from '../../../../upstream/upstream-guard.ts';
import { size } from '../../../memory.ts';
import { type Finding, fail, ok, warn } from '../finding.ts';
import { isReport, PUBLIC_TIMEOUTS, PublicGateway, type PublicTimeouts } from './ask.ts';
import { checkCertificate } from './certificate.ts';
import { FORGED_ADDRESS, judgeClient, judgeHeaders, judgeLinks, judgePath, REACHED, unreached } from './judge.ts';

const STREAMS = 'proxy streams';
const SOCKETS = 'proxy sockets';
const BODIES = 'proxy bodies';
/** Larger bodies are not tried: they would take long over a slow line. */
const MOST_BODY_BYTES = 64 * 1024 * 1024;

export interface PublicAddress {
  /** The address of clients, without a trailing slash. */
  readonly url: string;
  /** Proves to the gateway that this command has its master secret. */
  readonly token: string;
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly timeouts?: PublicTimeouts;
}

/** Asks the running gateway through its public address how requests arrive, and yields what a reverse proxy does wrong. */
export async function* checkPublicAddress(options: PublicAddress): AsyncGenerator<Finding> {
  const { url, token, upstream, clock, timeouts = PUBLIC_TIMEOUTS } = options;
  const sockets = new SocketUpstream(new UpstreamGuard({ allowedRanges: [], deniedRanges: [] }));
  const gateway = new PublicGateway(upstream, sockets, url, token, timeouts);
  yield* await checkCertificate(url, clock, timeouts.answerMs);
  const sent = clientHeaders();
  const asked = await gateway.report({ ...sent, 'x-forwarded-for': FORGED_ADDRESS });
  if (!isReport(asked)) return yield unreached(asked, url);
  yield reached(url, asked.version);
  yield judgePath(asked, url);
  yield judgeHeaders(asked, sent);
  yield judgeClient(asked, url);
  yield judgeLinks(asked, url);
  yield judgeStreams(await gateway.streams());
  yield judgeSockets(await gateway.opensSockets());
  yield await checkBodies(gateway, asked.max_body_bytes);
}

/** Returns the headers of the four text formats, with values that are no keys. */
function clientHeaders(): Readonly<Record<string, string>> {
  const value = `doctor-${randomBytes(6).toString('hex')}`;
  return {
    authorization: `Bearer ${value}`,
    'x-api-key': value,
    'x-goog-api-key': value,
    'anthropic-version': '2023-06-01',
  };
}

function reached(url: string, version: string): Finding {
  const text = `${url} leads to a gateway of version ${version}`;
  if (url.startsWith('https:') || isNear(new URL(url).hostname)) return ok(REACHED, text);
  return warn(REACHED, `${text}, without TLS: everyone on the way can read keys and prompts. Serve it over https`);
}

const NEAR = ['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '::1', 'fc00::/7'].flatMap((text) => {
  const parsed = parseAddressRange(text);
  return parsed.ok ? [parsed.range] : [];
});

/** Returns whether the host is this machine or in a private network. */
function isNear(hostname: string): boolean {
  const address = parseNetworkAddress(hostname.replace(/^\[|\]$/g, ''));
  if (address === null) return hostname === 'localhost' || !hostname.includes('.');
  return NEAR.some((range) => isWithin(address, range));
}

function judgeStreams(arrives: boolean): Finding {
  if (arrives) return ok(STREAMS, 'the first event arrives while the stream is open');
  return fail(
    STREAMS,
    'the first event does not arrive while the stream is open: the reverse proxy collects responses. Turn its buffering and its compression of text/event-stream off (nginx: "proxy_buffering off; gzip off;")',
  );
}

function judgeSockets(open: boolean): Finding {
  if (open) return ok(SOCKETS, 'can be opened');
  return warn(
    SOCKETS,
    'cannot be opened, so Responses over WebSocket and realtime fail: make the reverse proxy pass on upgrades (nginx: "proxy_http_version 1.1;" and the headers Upgrade and Connection)',
  );
}

async function checkBodies(gateway: PublicGateway, maxBodyBytes: number): Promise<Finding> {
  const bytes = Math.min(maxBodyBytes, MOST_BODY_BYTES);
  const tried =
    bytes < maxBodyBytes ? `${size(bytes)}; larger ones were not tried` : `${size(bytes)}, the gateway's limit`;
  const status = await gateway.takes(bytes);
  if (status === 200) return ok(BODIES, `bodies of up to ${tried}`);
  const how = status instanceof Failure ? `is cut off (${status.kind})` : `is answered with HTTP ${status}`;
  return warn(
    BODIES,
    `a body of ${size(bytes)} ${how}: raise the limit and the time of the reverse proxy (nginx: "client_max_body_size ${Math.ceil(bytes / 2 ** 20)}m;"), or lower server.max_body_bytes`,
  );
}
