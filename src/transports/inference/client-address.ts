import { type AddressRange, isWithin, parseNetworkAddress } from '../../domain/access/network-address.ts';
import type { ClientRequest, Connections } from './route.ts';

/** No real chain of proxies is longer. */
const MOST_HOPS = 20;

/**
 * Where a request comes from: the other end of its connection or, where that is a proxy of the operator's own, what the proxy says in
 * `X-Forwarded-For`. It is read from its end, since a client may have written the beginning itself.
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

  /** Whether the other end of the connection is a reverse proxy of the operator's own. */
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
