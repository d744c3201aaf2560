import { hash, timingSafeEqual } from 'node:crypto';
import { isWithin, parseAddressRange, parseNetworkAddress } from '../../domain/access/network-address.ts';

const LOOPBACK = ['127.0.0.0/8', '::1'].flatMap((text) => {
  const parsed = parseAddressRange(text);
  return parsed.ok ? [parsed.range] : [];
});
/** A request with one of these headers was forwarded. */
const FORWARDING = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'forwarded', 'x-real-ip', 'via'];
/** A request with one of these headers was made by a page in a browser. */
const OF_PAGES = /^(?:origin|sec-fetch-.+)$/;

/**
 * Metrics name private models and their costs: reading them takes the token or, without a configured token, a program on this machine. The
 * connection's address does not prove that: a name that an attacker has rebound to 127.0.0.1 (DNS rebinding) lets a web page in, and a
 * local proxy lets everybody in. So the request must also name this machine as its host.
 */
export class MetricsAccess {
  private readonly digest: Buffer | null;

  constructor(token: string | null) {
    this.digest = token === null ? null : digestOf(token);
  }

  /** @param address the peer's address */
  admits({ headers }: Request, address: string | null): boolean {
    if (this.digest !== null) {
      const presented = /^Bearer\s+(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
      return presented !== undefined && timingSafeEqual(digestOf(presented), this.digest);
    }
    const parsed = address === null ? null : parseNetworkAddress(address);
    const isHere = parsed !== null && LOOPBACK.some((range) => isWithin(parsed, range));
    return isHere && isLoopbackName(headers.get('host')) && ![...headers.keys()].some(isForeign);
  }
}

function isForeign(header: string): boolean {
  return FORWARDING.includes(header) || OF_PAGES.test(header);
}

/** Returns whether a `Host` header names the machine itself: `localhost:8787`, `127.0.0.1`, `[::1]:8787`. */
function isLoopbackName(host: string | null): boolean {
  const name = /^(\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.exec(host ?? '')?.[1]?.toLowerCase() ?? '';
  if (name === 'localhost') return true;
  const address = parseNetworkAddress(name.replace(/^\[|\]$/g, ''));
  return address !== null && LOOPBACK.some((range) => isWithin(address, range));
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
