import { isIP } from 'node:net';
import { Failure } from '../domain/failure/failure.ts';
import type { AddressCheck, AddressVerdict } from '../engine/ports/address-check.ts';
import { AddressGuard, type AddressGuardOptions, type Resolve } from './address-guard.ts';
import { NameResolver } from './name-resolver.ts';

/** A checked address in place of a name, and the name for the server and the TLS handshake. */
export interface PinnedPlace {
  readonly url: string;
  readonly host: string;
  /** `undefined` if the URL contains an address, and for plain http. */
  readonly tls: { readonly serverName: string; readonly ca?: string[] } | undefined;
}

export interface UpstreamGuardOptions
  extends Pick<AddressGuardOptions, 'allowedRanges' | 'deniedRanges' | 'ownAddresses' | 'refusalMs'> {
  /** Replaces the name servers. */
  readonly resolve?: Resolve;
  /** Certificates to trust instead of the system's; PEM. */
  readonly certificateAuthorities?: readonly string[];
}

const LONGEST_CHECK_MS = 5_000;

/**
 * Keeps requests to addresses that accounts have chosen out of the gateway's own network. A name is resolved once per request, and the
 * request goes to the address that was checked, so that the name's owner cannot change the answer in between.
 */
export class UpstreamGuard implements AddressCheck {
  private readonly guard: AddressGuard;
  private readonly authorities: string[] | null;

  constructor({ resolve, certificateAuthorities, ...rules }: UpstreamGuardOptions) {
    const names = new NameResolver();
    this.guard = new AddressGuard({
      ...rules,
      resolve: resolve ?? ((hostname, signal) => names.resolve(hostname, signal)),
    });
    this.authorities = certificateAuthorities === undefined ? null : [...certificateAuthorities];
  }

  async check(url: string): Promise<AddressVerdict> {
    const parsed = URL.parse(url);
    return parsed === null
      ? 'forbidden'
      : await this.guard.explain(parsed.hostname, AbortSignal.timeout(LONGEST_CHECK_MS));
  }

  /**
   * Resolves to where to send a request for `url` (http, https, ws or wss), within `withinMs` milliseconds; a `Failure` if it is forbidden.
   */
  async pin(url: string, withinMs: number): Promise<PinnedPlace | Failure> {
    const parsed = URL.parse(url);
    const address = parsed && (await this.addressOf(parsed, withinMs));
    if (parsed === null || address === null) return refused();
    const { host, hostname, protocol } = parsed;
    const name = hostname.replace(/\.$/, '');
    parsed.hostname = isIP(address) === 6 ? `[${address}]` : address;
    const isNamed = isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
    const isSecure = protocol === 'https:' || protocol === 'wss:';
    const ca = this.authorities === null ? {} : { ca: this.authorities };
    return { url: parsed.href, host, tls: isNamed && isSecure ? { serverName: name, ...ca } : undefined };
  }

  /** Resolves to the first of the host's addresses, all of which were checked; `null` if refused. */
  private async addressOf({ hostname }: URL, withinMs: number): Promise<string | null> {
    const verdict = await this.guard.check(hostname, AbortSignal.timeout(Math.min(withinMs, LONGEST_CHECK_MS)));
    return verdict.kind === 'admitted' ? verdict.addresses[0].text : null;
  }
}

/** Returns the same failure for a name without addresses and one with an internal address, so that internal names stay secret. */
function refused(): Failure {
  return new Failure('upstream_error', {
    kind: 'address_refused',
    message: "The channel's address cannot be resolved, or is not on the public internet.",
  });
}
