/* Decides which network addresses a URL from a client may lead to. Pure: names are resolved elsewhere. */

/** An IPv4 or IPv6 address as a number of 32 or 128 bits. */
export interface NetworkAddress {
  readonly version: 4 | 6;
  readonly value: bigint;
}

/** All addresses whose first `prefixLength` bits are those of `base`; the other bits of `base` are zero. */
export interface AddressRange {
  readonly base: NetworkAddress;
  readonly prefixLength: number;
}

const OCTET = /^(0|[1-9]\d{0,2})$/;
const GROUP = /^[0-9a-f]{1,4}$/i;

/**
 * Parses the standard spellings: four decimal octets, or the groups of RFC 4291 in any form. Short, octal and hexadecimal
 * spellings of IPv4 are not supported: a URL parser has already normalized them. Returns `null` for an address with a zone
 * (`fe80::1%eth0`), which is meaningful on one link only. An IPv4-mapped address becomes the IPv4 address, because that is what
 * the operating system connects to.
 */
export function parseNetworkAddress(text: string): NetworkAddress | null {
  if (!text.includes(':')) {
    const value = parseIpv4(text);
    return value === null ? null : { version: 4, value };
  }
  const value = parseIpv6(text);
  if (value === null) return null;
  return value >> 32n === 0xffffn ? { version: 4, value: value & LOW_32_BITS } : { version: 6, value };
}

/**
 * Returns the name under which one subscriber's requests are counted: an IPv4 address, or the first 64 bits of an IPv6 address,
 * which a network assigns to one subscriber. Anything else is `unknown`.
 */
export function subscriberOf(address: string | null): string {
  const parsed = address === null ? null : parseNetworkAddress(address.replace(/%.*$/, ''));
  if (parsed === null) return 'unknown';
  if (parsed.version === 6)
    return `${(parsed.value >> 64n)
      .toString(16)
      .padStart(16, '0')
      .replace(/(.{4})(?=.)/g, '$1:')}::/64`;
  return [24n, 16n, 8n, 0n].map((shift) => (parsed.value >> shift) & 255n).join('.');
}

function parseIpv4(text: string): bigint | null {
  const octets = text.split('.');
  if (octets.length !== 4) return null;
  let value = 0n;
  for (const octet of octets) {
    if (!OCTET.test(octet) || Number(octet) > 255) return null;
    value = (value << 8n) | BigInt(octet);
  }
  return value;
}

function parseIpv6(text: string): bigint | null {
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const [head = '', tail] = halves;
  const before = parseGroups(head, tail === undefined);
  const after = parseGroups(tail ?? '', true);
  if (before === null || after === null) return null;
  const missing = 8 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return null;
  const groups = [...before, ...new Array<bigint>(missing).fill(0n), ...after];
  return groups.reduce((value, group) => (value << 16n) | group, 0n);
}

/** Parses groups of 16 bits; the last 32 bits of an address may be spelled as IPv4. */
function parseGroups(text: string, isEnd: boolean): bigint[] | null {
  if (text === '') return [];
  const groups: bigint[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (isEnd && index === parts.length - 1 && part.includes('.')) {
      const embedded = parseIpv4(part);
      if (embedded === null) return null;
      groups.push(embedded >> 16n, embedded & 0xffffn);
    } else if (GROUP.test(part)) groups.push(BigInt(`0x${part}`));
    else return null;
  }
  return groups;
}

export type ParsedRange =
  | { readonly ok: true; readonly range: AddressRange }
  | { readonly ok: false; readonly problem: string };

const RANGE_RULE = 'must be a range of addresses such as "10.0.0.0/8" or "fd00::/8"';

/** Parses a range in CIDR notation; a bare address is the range of only that address. */
export function parseAddressRange(text: string): ParsedRange {
  const [addressText = '', lengthText, ...rest] = text.split('/');
  const base = parseNetworkAddress(addressText);
  if (base === null || rest.length > 0) return { ok: false, problem: RANGE_RULE };
  const bits = bitsOf(base);
  if (lengthText === undefined) return { ok: true, range: { base, prefixLength: bits } };
  // A range of IPv4-mapped addresses counts its prefix in 128 bits, although it contains IPv4 addresses.
  const mappedBits = base.version === 4 && addressText.includes(':') ? 96 : 0;
  const prefixLength = /^(0|[1-9]\d{0,2})$/.test(lengthText) ? Number(lengthText) - mappedBits : Number.NaN;
  if (!(prefixLength >= 0 && prefixLength <= bits)) return { ok: false, problem: RANGE_RULE };
  const hostBits = BigInt(bits - prefixLength);
  // Refused, because 10.1.2.3/8 admits more addresses than its author may expect.
  if (base.value !== (base.value >> hostBits) << hostBits) {
    return { ok: false, problem: 'must have no bits set beyond its prefix length' };
  }
  return { ok: true, range: { base, prefixLength } };
}

export function isWithin(address: NetworkAddress, { base, prefixLength }: AddressRange): boolean {
  if (address.version !== base.version) return false;
  const hostBits = BigInt(bitsOf(base) - prefixLength);
  return address.value >> hostBits === base.value >> hostBits;
}

export interface AddressRules {
  readonly allowedRanges: readonly AddressRange[];
  readonly deniedRanges: readonly AddressRange[];
}

/**
 * Returns whether a client's URL may lead to this address. A denied range takes precedence over an allowed one, and an allowed
 * one over the special ranges. An address that wraps an IPv4 one (NAT64, 6to4) is judged by both.
 */
export function mayConnectTo(address: NetworkAddress, { allowedRanges, deniedRanges }: AddressRules): boolean {
  const wrapped = wrappedIpv4(address);
  const faces = wrapped === null ? [address] : [address, wrapped];
  const isIn = (ranges: readonly AddressRange[]) => faces.some((face) => ranges.some((range) => isWithin(face, range)));
  if (isIn(deniedRanges)) return false;
  return isIn(allowedRanges) || isPublic(wrapped ?? address);
}

/** Returns the IPv4 address at which traffic to this IPv6 address ends up. */
function wrappedIpv4(address: NetworkAddress): NetworkAddress | null {
  if (isWithin(address, NAT64)) return { version: 4, value: address.value & LOW_32_BITS };
  if (isWithin(address, SIX_TO_FOUR)) return { version: 4, value: (address.value >> 80n) & LOW_32_BITS };
  return null;
}

/** Returns whether an address belongs to the public Internet: in no special range and not unallocated. */
export function isPublic(address: NetworkAddress): boolean {
  if (address.version === 6 && !isWithin(address, GLOBAL_UNICAST)) return false;
  return !SPECIAL_RANGES.some((range) => isWithin(address, range));
}

const LOW_32_BITS = 0xffff_ffffn;
const GLOBAL_UNICAST = range('2000::/3');
const NAT64 = range('64:ff9b::/96');
const SIX_TO_FOUR = range('2002::/16');

/**
 * IANA's special-purpose registries (RFC 6890 and its successors) and addresses that clouds use elsewhere. For IPv6, only ranges
 * inside the global unicast block 2000::/3 have to be listed: everything else (::, ::1, 100::/64, fc00::/7, fe80::/10, ff00::/8,
 * the deprecated IPv4-compatible and site-local addresses …) is closed because it is outside.
 */
const SPECIAL_RANGES: readonly AddressRange[] = [
  '0.0.0.0/8', // "this network"; 0.0.0.0 reaches the machine itself
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers; a cloud's metadata at 100.100.100.200
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // a cloud's own host service, reachable from inside only
  '169.254.0.0/16', // link-local; most clouds' metadata at 169.254.169.254
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; a cloud's metadata at 192.0.0.192
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays, deprecated
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
  '2001::/23', // protocol assignments: Teredo, benchmarking, ORCHID
  '2001:db8::/32', // documentation
  '3fff::/20', // documentation
].map(range);

function range(text: string): AddressRange {
  const parsed = parseAddressRange(text);
  if (!parsed.ok) throw new Error(`${text} ${parsed.problem}`);
  return parsed.range;
}

function bitsOf({ version }: NetworkAddress): 32 | 128 {
  return version === 4 ? 32 : 128;
}
