import { expect, test } from 'bun:test';
import type { SettingSections } from '../../ports/settings-store.ts';
import { liveSeller } from './live-seller.ts';

const NONE = { name: null, address: [], taxId: null, email: null };

test('the seller is that of the moment, and the file wins', async () => {
  let stored: SettingSections = {};
  const read = async () => stored;
  const seller = liveSeller({ read }, {});
  expect(await seller()).toBeNull();
  stored = { seller: { name: 'Acme', address: ['1 Quay'] } };
  expect(await seller()).toEqual({ ...NONE, name: 'Acme', address: ['1 Quay'] });
  expect(await liveSeller({ read }, { name: 'Filed' })()).toEqual({ ...NONE, name: 'Filed', address: ['1 Quay'] });
});

test('a stored section of a newer version does not hide what the file says', async () => {
  const read = async () => ({ seller: { name: 'Acme', iban: 'of a newer version' } });
  expect(await liveSeller({ read }, { email: 'money@acme.example' })()).toEqual({
    ...NONE,
    email: 'money@acme.example',
  });
});
