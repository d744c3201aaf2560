import { type AddressRange, isWithin, parseNetworkAddress } from '../../domain/access/network-address.ts';
import type { ClientRequest, Connections } from './route.ts';

/** No real chain of proxies is longer. */
const MOST_HOPS = 20;

/**
 * Determines a request's client address: the peer of its connection or, if that is a trusted proxy, the address in `X-Forwarded-For`. The
 * header is read from the end, since a client can forge the beginning.
 */
export class ClientAddresses {
  constructor(private readonly trustedProxies: readonly AddressRange[]) {}

  of(request: ClientRequest, connections: Connections): string | null {
    const peer = connections.requestIP(request)?.address ?? null;
    if (peer === null || this.trustedProxies.length === 0 || !this.isTrusted(peer)) return peer;
    const hops = (request.headers.get('x-forwarded-for') ?? '').split(',').slice(-MOST_HOPS).reverse();
    let last = peer;
    for (const hop of hops) {
      const address = hop.trim();
      if (parseNetworkAddress(address) === null) return last;
      last = address;
      if (!this.isTrusted(address)) return last;
    }
    return last;
  }

  /** Returns whether the peer of the connection is a trusted reverse proxy. */
  isProxied(request: ClientRequest, connections: Connections): boolean {
    if (this.trustedProxies.length === 0) return false;
    const peer = connections.requestIP(request)?.address;
    return peer !== undefined && this.isTrusted(peer);
  }

  private isTrusted(address: string): boolean {
    const parsed = parseNetworkAddress(address);
    return parsed !== null && this.trustedProxies.some((range) => isWithin(parsed, range));
  }
}
