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

export type Verdict =
  | { readonly kind: 'admitted'; readonly addresses: readonly [CheckedAddress, ...CheckedAddress[]] }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unresolved' };

export interface AddressGuardOptions extends AddressRules {
  readonly resolve: Resolve;
  /** The addresses of this machine itself, closed like loopback even where they are public. */
  readonly ownAddresses?: (() => readonly string[]) | undefined;
}

/** Resolves a host once and says whether all that it resolves to may be connected to. */
export class AddressGuard {
  private readonly resolve: Resolve;
  private readonly ownAddresses: () => readonly string[];

  constructor(private readonly options: AddressGuardOptions) {
    this.resolve = options.resolve;
    this.ownAddresses = options.ownAddresses ?? interfaceAddresses;
  }

  /** `host` as a parsed URL has it: a name, an IPv4 address, or an IPv6 address in brackets. Never rejects. */
  async check(host: string, signal: AbortSignal): Promise<Verdict> {
    const texts = await this.addressesOf(host.replace(/^\[|\]$/g, ''), signal);
    if (texts === null) return { kind: 'unresolved' };
    const rules = this.currentRules();
    const checked: CheckedAddress[] = [];
    for (const text of texts) {
      const address = parseNetworkAddress(text);
      // One closed address closes the name: otherwise the owner of the name could choose the address by the order of the answers.
      if (address === null || !mayConnectTo(address, rules)) return { kind: 'refused' };
      checked.push({ text, address });
    }
    const [first, ...rest] = checked;
    return first === undefined ? { kind: 'unresolved' } : { kind: 'admitted', addresses: [first, ...rest] };
  }

  private async addressesOf(host: string, signal: AbortSignal): Promise<readonly string[] | null> {
    if (isIP(host) !== 0) return [host];
    try {
      return await this.resolve(host, signal);
    } catch {
      return null;
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

function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address));
}
