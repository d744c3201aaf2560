import { Failure } from '../domain/failure/failure.ts';

const LONGEST_ORIGIN = 200;

interface CrossOrigin {
  readonly headers: Headers;
  readonly publicOrigin: string;
  /** Advice for clients other than browsers. */
  readonly otherClients: string;
}

/** Returns the failure for a request that does not come from a page of this gateway. */
export function crossOriginFailure({ headers, publicOrigin, otherClients }: CrossOrigin): Failure {
  const own = new URL(publicOrigin).origin;
  const from = headers.get('origin')?.slice(0, LONGEST_ORIGIN) ?? null;
  const said = from === null ? 'has no `Origin` header' : `comes from ${from}`;
  return new Failure('access_denied', {
    kind: 'cross_origin',
    message: `The request ${said}. It must come from the gateway’s own address, ${own}.`,
    hint:
      from !== null && isBehindProxy(headers, from, own)
        ? proxyHint(from)
        : `Browsers send the header \`Origin\`; ${otherClients}.`,
  });
}

/** Returns whether a reverse proxy is the likely reason: it terminates TLS, or has marked the request as forwarded. */
function isBehindProxy(headers: Headers, from: string, own: string): boolean {
  if (!/^https?:\/\/./.test(from)) return false;
  const isForwarded = ['forwarded', 'x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-for'].some((name) =>
    headers.has(name),
  );
  return isForwarded || hostOf(from) === hostOf(own);
}

function hostOf(origin: string): string {
  return origin.replace(/^https?:\/\//, '').replace(/:\d+$/, '');
}

function proxyHint(from: string): string {
  return `If ${from} is this gateway behind a reverse proxy, set \`server.public_url\` to that address, or list the proxy in \`server.trusted_proxies\` and have it send \`X-Forwarded-Proto\` and \`X-Forwarded-Host\`.`;
}
