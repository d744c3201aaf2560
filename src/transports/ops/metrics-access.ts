import { hash, timingSafeEqual } from 'node:crypto';
import { isWithin, parseAddressRange, parseNetworkAddress } from '../../domain/access/network-address.ts';

const LOOPBACK = ['127.0.0.0/8', '::1'].flatMap((text) => {
  const parsed = parseAddressRange(text);
  return parsed.ok ? [parsed.range] : [];
});
/** A request with one of these headers was forwarded. */
const FORWARDING = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

/**
 * Metrics name private models and their costs: only requests with the token may read them, or without a token only this machine.
 */
export class MetricsAccess {
  private readonly digest: Buffer | null;

  constructor(token: string | null) {
    this.digest = token === null ? null : digestOf(token);
  }

  /** @param address the other end of the connection */
  admits({ headers }: Request, address: string | null): boolean {
    if (this.digest !== null) {
      const presented = /^Bearer\s+(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
      return presented !== undefined && timingSafeEqual(digestOf(presented), this.digest);
    }
    const parsed = address === null ? null : parseNetworkAddress(address);
    const isHere = parsed !== null && LOOPBACK.some((range) => isWithin(parsed, range));
    return isHere && !FORWARDING.some((name) => headers.has(name));
  }
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
