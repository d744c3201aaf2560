import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  type AddressRange,
  isPublic,
  isWithin,
  mayConnectTo,
  parseAddressRange,
  parseNetworkAddress,
} from './network-address.ts';

const address = (text: string) => {
  const parsed = parseNetworkAddress(text);
  if (parsed === null) throw new Error(`not an address: ${text}`);
  return parsed;
};
const range = (text: string): AddressRange => {
  const parsed = parseAddressRange(text);
  if (!parsed.ok) throw new Error(`${text} ${parsed.problem}`);
  return parsed.range;
};
const NO_RULES = { allowedRanges: [], deniedRanges: [] };
const dotted = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');

/** The first and last address of every range that must stay closed. */
const CLOSED = `
0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255 168.63.129.16
169.254.0.0 169.254.169.254 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.255 192.0.2.0 192.0.2.255
192.88.99.1 192.168.0.0 192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255
224.0.0.0 239.255.255.255 240.0.0.0 255.255.255.255
:: ::1 ::7f00:1 ::8.8.8.8 ::ffff:10.0.0.1 ::ffff:7f00:1 ::ffff:0:8.8.8.8 64:ff9b::a00:1 64:ff9b::169.254.169.254
64:ff9b:1::808:808 100::1 1fff:ffff:: 2001::1 2001:1ff:: 2001:db8:: 2001:db8:ffff::1 2002:a00:1::1 2002:7f00:1::
2002:a9fe:a9fe::1 3fff::1 3fff:fff::1 4000:: 5f00::1 fc00:: fd00:ec2::254 fd20:ce::254 fdff:ffff::1 fe80::
fe80::5efe:a00:1 febf:: fec0::1 ff00:: ff02::1
`;
const OPEN = `
1.0.0.0 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 168.63.129.17 169.253.255.255
169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.0
203.0.112.0 203.0.114.0 223.255.255.255 ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2001:200::1 2001:4860:4860::8888 2002:808:808::1
2606:4700::1111 2a00:1450::1
`;
const words = (text: string) => text.trim().split(/\s+/);

describe('public addresses', () => {
  test.each(words(CLOSED))('%s is closed', (text) => expect(mayConnectTo(address(text), NO_RULES)).toBe(false));
  test.each(words(OPEN))('%s is open', (text) => expect(mayConnectTo(address(text), NO_RULES)).toBe(true));

  test('an IPv4 address wrapped in IPv6 is treated like the plain address', () => {
    fc.assert(
      fc.property(fc.nat(0xffff_ffff), (value) => {
        const alone = mayConnectTo(address(dotted(value)), NO_RULES);
        const high = (value >>> 16).toString(16);
        const low = (value & 0xffff).toString(16);
        for (const wrapped of [`::ffff:${dotted(value)}`, `64:ff9b::${high}:${low}`, `2002:${high}:${low}::1`]) {
          expect(mayConnectTo(address(wrapped), NO_RULES)).toBe(alone);
        }
      }),
    );
  });
});

describe('spellings', () => {
  test('any text that a URL parser takes for an IPv4 address is judged as that address', () => {
    const part = (value: number) =>
      fc.constantFrom(`${value}`, `0x${value.toString(16)}`, `0X0${value.toString(16)}`, `0${value.toString(8)}`);
    const spelling = fc.nat(0xffff_ffff).chain((value) => {
      const [a, b, c, d] = [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
      const forms = [[value], [a, value & 0xff_ffff], [a, b, value & 0xffff], [a, b, c, d]];
      return fc.oneof(
        ...forms.map((form) =>
          fc.tuple(fc.tuple(...form.map(part)), fc.constantFrom('', '.')).map(([parts, dot]) => ({
            value,
            host: parts.join('.') + dot,
          })),
        ),
        fc.constant({ value, host: dotted(value).replaceAll('1', '１').replaceAll('.', '。') }),
      );
    });
    fc.assert(
      fc.property(spelling, ({ value, host }) => {
        expect(address(new URL(`https://${host}/`).hostname)).toEqual({ version: 4, value: BigInt(value) });
      }),
      { numRuns: 300 },
    );
  });

  test('any IPv6 address that a URL parser writes is parsed as that address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const written = URL.parse(`https://[${text}]/`)?.hostname.slice(1, -1);
        // The parser refuses some mixed spellings of RFC 4291; those are never reached.
        fc.pre(written !== undefined);
        expect(address(written ?? '')).toEqual(address(text));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ...['', '1', '1.2.3', '1.2.3.4.5', '01.2.3.4', '0x7f.0.0.1', '256.0.0.1', '1.2.3.4 ', '+1.2.3.4', '1.2.3.-4'],
    ...[':', ':::', '1::2::3', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '1:2:3:4:5:6:7::8', '12345::', 'g::', '[::1]'],
    ...['fe80::1%eth0', '::1%', '1.2.3.4::', '::1.2.3', '::1.2.3.4:5', '::ffff:01.2.3.4', ' ::1', '1:', ':1'],
  ])('%p is not an address', (text) => expect(parseNetworkAddress(text)).toBeNull());
});

describe('ranges', () => {
  test('a range holds the addresses with its prefix, and none of the other version', () => {
    expect(isWithin(address('10.20.255.255'), range('10.20.0.0/16'))).toBe(true);
    expect(isWithin(address('10.21.0.0'), range('10.20.0.0/16'))).toBe(false);
    expect(isWithin(address('::a14:1'), range('10.20.0.0/16'))).toBe(false);
    expect(isWithin(address('255.255.255.255'), range('0.0.0.0/0'))).toBe(true);
    expect(isWithin(address('::'), range('0.0.0.0/0'))).toBe(false);
    expect(isWithin(address('fd00::1'), range('fd00::1'))).toBe(true);
    expect(isWithin(address('fd00::2'), range('fd00::1'))).toBe(false);
    expect(range('::ffff:10.0.0.0/104')).toEqual(range('10.0.0.0/8'));
  });

  test.each([
    ['10.0.0.0/33', 'must be a range'],
    ['::/129', 'must be a range'],
    ['::ffff:0.0.0.0/95', 'must be a range'],
    ['10.0.0.0/', 'must be a range'],
    ['10.0.0.0/8/8', 'must be a range'],
    ['10.0.0.0/08', 'must be a range'],
    ['10.0.0/8', 'must be a range'],
    ['localhost', 'must be a range'],
    ['10.1.2.3/8', 'must have no bits set beyond its prefix length'],
    ['fd00::1/8', 'must have no bits set beyond its prefix length'],
  ])('%s is refused', (text, problem) => {
    expect(parseAddressRange(text)).toEqual({ ok: false, problem: expect.stringContaining(problem) });
  });
});

describe('rules', () => {
  const rules = (allowed: string[], denied: string[] = []) => ({
    allowedRanges: allowed.map(range),
    deniedRanges: denied.map(range),
  });

  test('an allowed range opens special addresses, also in wrapped form, and no others', () => {
    const office = rules(['10.1.0.0/16', 'fd00::/8']);
    for (const text of ['10.1.2.3', '::ffff:10.1.2.3', '64:ff9b::10.1.2.3', '2002:a01:203::', 'fd12::1', '8.8.8.8']) {
      expect(mayConnectTo(address(text), office)).toBe(true);
    }
    for (const text of ['10.2.0.0', '127.0.0.1', 'fc00::1', '2002:a02::']) {
      expect(mayConnectTo(address(text), office)).toBe(false);
    }
  });

  test('a denied range closes public addresses and overrides an allowed one', () => {
    const both = rules(['10.0.0.0/8'], ['10.9.0.0/16', '8.8.0.0/16']);
    expect(mayConnectTo(address('10.8.0.1'), both)).toBe(true);
    for (const text of ['10.9.0.1', '8.8.8.8', '64:ff9b::8.8.8.8', '2002:a09:1::']) {
      expect(mayConnectTo(address(text), both)).toBe(false);
    }
  });

  test('no special address is public, whatever its neighbours', () => {
    fc.assert(
      fc.property(fc.constantFrom(10, 127, 0), fc.nat(0xff_ffff), (first, rest) => {
        expect(isPublic({ version: 4, value: (BigInt(first) << 24n) | BigInt(rest) })).toBe(false);
      }),
    );
  });
});
