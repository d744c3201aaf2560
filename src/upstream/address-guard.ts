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

/** All addresses of a host name, as text; stops looking for them when the signal fires. Rejects where there are none. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

/** An address that has been checked, and the only one that a connection may be made to. */
export interface CheckedAddress {
  readonly text: string;
  readonly address: NetworkAddress;
}

/**
 * A name without addresses and a name with a closed one get the same verdict, so that no caller can pass on the difference: it would tell
 * strangers which names exist in the operator's network.
 */
export type Verdict =
  | { readonly kind: 'admitted'; readonly addresses: readonly [CheckedAddress, ...CheckedAddress[]] }
  | { readonly kind: 'refused' };

export interface AddressGuardOptions extends AddressRules {
  readonly resolve: Resolve;
  /** The addresses of this machine itself, closed like loopback even where they are public. */
  readonly ownAddresses?: (() => readonly string[]) | undefined;
  /** A name is refused no earlier than this after it was asked for; in milliseconds. */
  readonly refusalMs?: number | undefined;
}

/**
 * An inner name is found in the hosts file or a server nearby within microseconds, and a name that does not exist only after the servers of
 * the internet have been asked, mostly within half a second. Refusals of both take the same time.
 */
const REFUSAL_MS = 500;

/** Resolves a host once and says whether all that it resolves to may be connected to. */
export class AddressGuard {
  private readonly resolve: Resolve;
  private readonly ownAddresses: () => readonly string[];

  constructor(private readonly options: AddressGuardOptions) {
    this.resolve = options.resolve;
    this.ownAddresses = options.ownAddresses ?? interfaceAddresses;
  }

  /**
   * Checks `host` as a parsed URL has it: a name, an IPv4 address, or an IPv6 address in brackets. Refuses it once the signal has fired.
   * Never rejects.
   */
  async check(host: string, signal: AbortSignal): Promise<Verdict> {
    const plain = host.replace(/^\[|\]$/g, '');
    // An address that is written out tells nothing that its writer does not know.
    if (isIP(plain) !== 0) return this.verdictOn([plain]);
    const pause = startPause(this.options.refusalMs ?? REFUSAL_MS, signal);
    try {
      const verdict = this.verdictOn(await this.addressesOf(plain, signal));
      if (verdict.kind === 'refused') await pause.over;
      return verdict;
    } finally {
      pause.end();
    }
  }

  private verdictOn(texts: readonly string[]): Verdict {
    const rules = this.currentRules();
    const checked: CheckedAddress[] = [];
    for (const text of texts) {
      const address = parseNetworkAddress(text);
      // One closed address closes the name: otherwise the owner of the name could choose the address by the order of the answers.
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

  /** Interfaces come and go, so they are read for every check, which costs some 50 µs. */
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

/** Begins to wait; `over` resolves after the time, or as soon as the signal fires. `end` frees the timer. */
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
