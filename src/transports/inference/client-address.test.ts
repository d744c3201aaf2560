import { expect, test } from 'bun:test';
import { parseAddressRange } from '../../domain/access/network-address.ts';
import { ClientAddresses } from './client-address.ts';

const ranges = (...texts: string[]) =>
  texts.map((text) => {
    const parsed = parseAddressRange(text);
    if (!parsed.ok) throw new Error(parsed.problem);
    return parsed.range;
  });

const trusting = new ClientAddresses(ranges('10.0.0.0/8', 'fd00::/8'));

function addressOf(peer: string | null, forwarded: string | null, addresses = trusting): string | null {
  const headers: Record<string, string> = forwarded === null ? {} : { 'x-forwarded-for': forwarded };
  const requestIP = () => (peer === null ? null : { address: peer });
  return addresses.of(new Request('http://gateway/', { headers }), {
    timeout: () => undefined,
    upgrade: () => false,
    requestIP,
  });
}

test.each([
  ['a stranger says nothing that is believed', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
  ['a proxy says who came', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['a proxy behind a proxy', '10.0.0.1', '198.51.100.1, 10.2.2.2', '198.51.100.1'],
  ['what the client has written itself stands before', '10.0.0.1', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
  ['a proxy that speaks IPv6', 'fd00::1', '2001:db8::7', '2001:db8::7'],
  ['a mapped peer', '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['rubbish is nobody', '10.0.0.1', 'unknown', '10.0.0.1'],
  ['rubbish before a proxy', '10.0.0.1', '"; drop, 10.9.9.9', '10.9.9.9'],
  ['a proxy that says nothing', '10.0.0.1', null, '10.0.0.1'],
  ['a connection that has gone', null, '198.51.100.1', null],
])('%s', (_what, peer, forwarded, expected) => {
  expect(addressOf(peer, forwarded)).toBe(expected);
});

test('without trusted proxies no forwarded address is used', () => {
  expect(addressOf('10.0.0.1', '198.51.100.1', new ClientAddresses([]))).toBe('10.0.0.1');
});

test('a long chain is read only up to a realistic length', () => {
  expect(addressOf('10.0.0.1', `198.51.100.1, ${'10.0.0.2, '.repeat(5_000)}10.0.0.3`)).toBe('10.0.0.2');
});
