import type { Socket } from 'node:net';
import type { AddressGuard } from './address-guard.ts';
import { ConnectTimeout, connectPinned } from './pinned-connection.ts';

export interface GuardedTarget {
  readonly guard: AddressGuard;
  /** An `http:` or `https:` URL. */
  readonly url: URL;
  /** The limit for the look-up, the connection and the TLS handshake together. */
  readonly connectMs: number;
  /** Certificates to trust instead of the system's; PEM. */
  readonly certificateAuthorities?: readonly string[] | undefined;
}

export type Reached =
  | { readonly kind: 'connected'; readonly socket: Socket }
  | { readonly kind: 'refused' | 'timeout' };

/**
 * Connects to a host that somebody else has named: it is resolved once, all its addresses are checked, and the connection goes to a checked
 * address. A name that is not found in time is refused like a nonexistent one. Rejects with a transport error, or the signal's reason.
 */
export async function connectGuarded(target: GuardedTarget, signal: AbortSignal): Promise<Reached> {
  const { guard, url, connectMs, certificateAuthorities } = target;
  const startedAtMs = performance.now();
  const lookUp = new AbortController();
  const timer = setTimeout(() => lookUp.abort(), connectMs);
  try {
    const checked = await guard.check(url.hostname, AbortSignal.any([signal, lookUp.signal]));
    signal.throwIfAborted();
    if (checked.kind === 'refused') return checked;
    const protocol = url.protocol === 'http:' ? 'http:' : 'https:';
    const port = url.port === '' ? (protocol === 'http:' ? 80 : 443) : Number(url.port);
    const { addresses } = checked;
    const pinned = { protocol, hostname: url.hostname, port, addresses, certificateAuthorities } as const;
    const socket = await connectPinned(pinned, connectMs - (performance.now() - startedAtMs), signal);
    return { kind: 'connected', socket };
  } catch (error) {
    if (error instanceof ConnectTimeout) return { kind: 'timeout' };
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
