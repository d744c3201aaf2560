import { requestTarget } from '../../formats/shared/request/request-target.ts';
import type { ClientAddresses } from './client-address.ts';
import type { ClientRequest, Connections } from './route.ts';

/** The valid forms of a host (RFC 3986, 3.2.2); none of the characters has a meaning in HTML, JSON or a shell. */
const HOST = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
const UNKNOWN_HOST = '127.0.0.1:8787';

export interface PublicOriginOptions {
  readonly addresses: ClientAddresses;
  /** The configured URL, including the path under which a reverse proxy serves the gateway, without a trailing slash. */
  readonly publicUrl: string | null;
}

/**
 * Returns the configured address of the gateway, else the one that the client has used, such as `http://127.0.0.1:8787`: from the `Host`
 * header, or from a trusted proxy's `X-Forwarded-Proto`, `X-Forwarded-Host` and `X-Forwarded-Prefix`.
 */
export function publicOrigin(request: ClientRequest, connections: Connections, options: PublicOriginOptions): string {
  const { addresses, publicUrl } = options;
  if (publicUrl !== null) return publicUrl;
  const { headers } = request;
  const isProxied = addresses.isProxied(request, connections);
  const forwarded = (name: string) => (isProxied ? (headers.get(name)?.split(',')[0]?.trim() ?? '') : '');
  const scheme = forwarded('x-forwarded-proto').toLowerCase() === 'https' ? 'https' : 'http';
  const hosts = [forwarded('x-forwarded-host'), headers.get('host') ?? ''];
  const host = hosts.find((one) => one.length <= 255 && HOST.test(one)) ?? UNKNOWN_HOST;
  return `${scheme}://${host}${publicBasePath(request, connections, options)}`;
}

/** One or more segments, none of them `.` or `..`, without a trailing slash. */
const BASE_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+){1,20}$/;

/**
 * Returns the path under which a reverse proxy serves the gateway, such as `/ai`: that of the configured address, else a trusted proxy's
 * `X-Forwarded-Prefix`; empty if there is neither.
 */
export function publicBasePath(
  request: ClientRequest,
  connections: Connections,
  { addresses, publicUrl }: PublicOriginOptions,
): string {
  if (publicUrl !== null) return new URL(publicUrl).pathname.replace(/\/+$/, '');
  const named = request.headers.get('x-forwarded-prefix')?.split(',')[0]?.trim().replace(/\/+$/, '') ?? '';
  return named.length <= 255 && BASE_PATH.test(named) && addresses.isProxied(request, connections) ? named : '';
}

/** Returns the path for use in a message: truncated, and without the query, where some clients put their key. */
export function shownPath(request: ClientRequest): string {
  return requestTarget(request.url).path.slice(0, 200);
}
