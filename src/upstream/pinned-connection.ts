import net from 'node:net';
import tls from 'node:tls';
import { parseNetworkAddress } from '../domain/access/network-address.ts';
import type { CheckedAddress } from './address-guard.ts';

export interface PinnedTarget {
  readonly protocol: 'http:' | 'https:';
  /** In the form of a parsed URL: a name, an IPv4 address, or an IPv6 address in brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly addresses: readonly [CheckedAddress, ...CheckedAddress[]];
  /** Certificates to trust instead of the system's; PEM. */
  readonly certificateAuthorities?: readonly string[] | undefined;
}

/** A name may have hundreds of addresses; a reachable service answers at one of the first. */
const MAX_ADDRESSES_TRIED = 4;

/**
 * Connects to one of the checked addresses, tried in order, each with an equal share of the remaining time. Nothing is resolved here, so
 * the connection goes to what was checked; the TLS handshake still requests and verifies the host's name. Rejects with the last address's
 * error, or with the signal's reason.
 */
export async function connectPinned(target: PinnedTarget, timeoutMs: number, signal: AbortSignal): Promise<net.Socket> {
  const deadlineMs = performance.now() + timeoutMs;
  const tried = target.addresses.slice(0, MAX_ADDRESSES_TRIED);
  let last: unknown = new ConnectTimeout();
  for (const [index, address] of tried.entries()) {
    const leftMs = deadlineMs - performance.now();
    if (leftMs <= 0) throw new ConnectTimeout();
    try {
      return await connectOne(target, address, leftMs / (tried.length - index), signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      last = error;
    }
  }
  throw last;
}

export class ConnectTimeout extends Error {
  readonly code = 'ETIMEDOUT';
}

function connectOne(
  target: PinnedTarget,
  address: CheckedAddress,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const socket = openSocket(target, address);
    const settle = (error: unknown) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      if (error === null) return resolve(socket);
      socket.destroy();
      reject(error);
    };
    const onAbort = () => settle(signal.reason);
    const timer = setTimeout(() => settle(new ConnectTimeout()), timeoutMs);
    signal.addEventListener('abort', onAbort, { once: true });
    // Stays attached for the socket's lifetime: nothing else handles an error after the end of the exchange.
    socket.on('error', settle);
    socket.once('close', () => settle(new Error('closed before it was ready')));
    socket.once(target.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      settle(isConnectedTo(socket, address) ? null : new Error('connected to an address other than the checked one'));
    });
  });
}

function openSocket({ protocol, hostname, port, certificateAuthorities }: PinnedTarget, address: CheckedAddress) {
  if (protocol === 'http:') return net.connect({ host: address.text, port });
  const name = hostname.replace(/^\[|\]$|\.$/g, '');
  return tls.connect({
    host: address.text,
    port,
    // An address has no server name in the handshake (RFC 6066, section 3); its certificate is checked against `host`.
    ...(net.isIP(name) === 0 ? { servername: name } : {}),
    // Explicit, so that no environment variable can switch it off.
    rejectUnauthorized: true,
    ...(certificateAuthorities === undefined ? {} : { ca: [...certificateAuthorities] }),
  });
}

/** A second check: compares the address that the operating system has connected to. */
function isConnectedTo(socket: net.Socket, { address }: CheckedAddress): boolean {
  const peer = parseNetworkAddress(socket.remoteAddress ?? '');
  return peer !== null && peer.version === address.version && peer.value === address.value;
}
