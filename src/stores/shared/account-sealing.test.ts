import { expect, test } from 'bun:test';
import { createSealing } from './account-sealing.ts';

const sealing = createSealing('master');

test('sealed text opens for its account, on every node that has the secret', () => {
  const sealed = sealing.seal('acme', 'Grüße 🚦');
  expect(createSealing('master').open('acme', sealed)).toBe('Grüße 🚦');
  expect(Buffer.from(sealed, 'base64').toString('base64')).toBe(sealed);
  expect(sealing.seal('acme', 'Grüße 🚦')).not.toBe(sealed);
});

test('nothing else opens', () => {
  const sealed = sealing.seal('acme', 'A secret.');
  expect(sealing.open('globex', sealed)).toBeNull();
  expect(createSealing('other').open('acme', sealed)).toBeNull();
  for (const damaged of [
    '',
    'x',
    '%%%',
    sealed.slice(0, -8),
    `AAAA${sealed}`,
    `${sealed.slice(0, 30)}A${sealed.slice(31)}`,
  ]) {
    if (damaged !== sealed) expect(sealing.open('acme', damaged)).toBeNull();
  }
});
