import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import {
  type AddressRange,
  type AddressRules,
  isWithin,
  mayConnectTo,
  type NetworkAddress,
  parseAddressRange,
  parseNetworkAddress,
} from '../domain/access/network-address.ts';
import type { AddressVerdict } from '../engine/ports/address-check.ts';

/** Resolves to all addresses of a host name, as text; stops when the signal fires. Rejects if there are none. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

/** An address that has been checked; connections are made only to such addresses. */
export interface CheckedAddress {
  readonly text: string;
  readonly address: NetworkAddress;
}

/**
 * A name without addresses and a name with a forbidden one get the same verdict, so that no caller can reveal the difference, which would
 * show strangers which names exist in the operator's network.
 */
export type Verdict =
  | { readonly kind: 'admitted'; readonly addresses: readonly [CheckedAddress, ...CheckedAddress[]] }
  | { readonly kind: 'refused' };

export interface AddressGuardOptions extends AddressRules {
  readonly resolve: Resolve;
  /** The addresses of this machine, forbidden like loopback even if they are public. */
  readonly ownAddresses?: (() => readonly string[]) | undefined;
  /** The minimum time in milliseconds between the look-up of a name and its refusal. */
  readonly refusalMs?: number | undefined;
}

/**
 * An internal name is found in the hosts file or on a nearby server within microseconds, a nonexistent one only after servers on the
 * internet have answered, mostly within half a second. Refusals of both take this long.
 */
const REFUSAL_MS = 500;

/** RFC 6761, section 6.3. */
const LOOPBACK_NAME = /(?:^|\.)localhost\.?$/i;

interface Judgement {
  readonly verdict: Verdict;
  /** Whether the host itself says where it leads, without a look-up. */
  readonly isWritten: boolean;
  readonly hasAddresses: boolean;
}

/** Resolves a host once and decides whether connections to all of its addresses are allowed. */
export class AddressGuard {
  private readonly resolve: Resolve;
  private readonly ownAddresses: () => readonly string[];

  constructor(private readonly options: AddressGuardOptions) {
    this.resolve = options.resolve;
    this.ownAddresses = options.ownAddresses ?? interfaceAddresses;
  }

  /**
   * Checks `host` in the form of a parsed URL: a name, an IPv4 address, or an IPv6 address in brackets. Refuses it once the signal has
   * fired. Never rejects.
   */
  async check(host: string, signal: AbortSignal): Promise<Verdict> {
    return (await this.judge(host, signal)).verdict;
  }

  /** Does the same, and resolves to the reason. The caller must not reveal the difference between `internal` and `unresolved` to strangers. */
  async explain(host: string, signal: AbortSignal): Promise<AddressVerdict> {
    const { verdict, isWritten, hasAddresses } = await this.judge(host, signal);
    if (verdict.kind === 'admitted') return 'public';
    if (isWritten) return 'forbidden';
    return hasAddresses ? 'internal' : 'unresolved';
  }

  private async judge(host: string, signal: AbortSignal): Promise<Judgement> {
    const plain = host.replace(/^\[|\]$/g, '');
    // A literal address reveals nothing that its writer does not know, so it needs no delay.
    if (isIP(plain) !== 0) return { verdict: this.verdictOn([plain]), isWritten: true, hasAddresses: true };
    const pause = startPause(this.options.refusalMs ?? REFUSAL_MS, signal);
    try {
      const addresses = await this.addressesOf(plain, signal);
      const verdict = this.verdictOn(addresses);
      if (verdict.kind === 'refused') await pause.over;
      return { verdict, isWritten: LOOPBACK_NAME.test(plain), hasAddresses: addresses.length > 0 };
    } finally {
      pause.end();
    }
  }

  private verdictOn(texts: readonly string[]): Verdict {
    const rules = this.currentRules();
    const checked: CheckedAddress[] = [];
    for (const text of texts) {
      const address = parseNetworkAddress(text);
      // One forbidden address forbids the name: otherwise the name's owner could choose the address by the order of the answers.
      if (address === null || !mayConnectTo(address, rules)) return { kind: 'refused' };
      checked.push({ text, address });
    }
    const [first, ...rest] = checked;
    return first === undefined ? { kind: 'refused' } : { kind: 'admitted', addresses: [first, ...rest] };
  }

  private async addressesOf(name: string, signal: AbortSignal): Promise<readonly string[]> {
    const { promise: aborted, resolve } = Promise.withResolvers<readonly string[]>();
    const onAbort = () => resolve([]);
    if (signal.aborted) resolve([]);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([this.resolve(name, signal), aborted]);
    } catch {
      return [];
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Returns the rules including this machine's addresses. Interfaces change, so they are read for every check, which takes some 50 µs. */
  private currentRules(): AddressRules {
    const { allowedRanges, deniedRanges } = this.options;
    const own = this.ownAddresses().flatMap((text): AddressRange[] => {
      const parsed = parseAddressRange(text);
      return parsed.ok ? [parsed.range] : [];
    });
    const closed = own.filter(({ base }) => !allowedRanges.some((range) => isWithin(base, range)));
    return { allowedRanges, deniedRanges: [...deniedRanges, ...closed] };
  }
}

/** Starts a pause; `over` resolves after the time, or as soon as the signal fires. `end` frees the timer. */
function startPause(milliseconds: number, signal: AbortSignal) {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  const onAbort = () => resolve();
  if (signal.aborted || milliseconds === 0) resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  const end = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  };
  return { over, end };
}

function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address));
}
