import { expect, test } from 'bun:test';
import type { AddressVerdict } from '../ports/address-check.ts';
import { checkStoredAddress } from './stored-address.ts';
import { failureOf } from './testing/failure-of.ts';

const check = (verdict: AddressVerdict, isOperator: boolean, mustResolve = false) =>
  checkStoredAddress(
    { check: async () => verdict },
    { url: 'https://hooks.example/a', field: 'url', isOperator, remedy: 'Add its range', mustResolve },
  );

test('a public address is stored, and a forbidden one is refused with the reason and the field', async () => {
  expect(await check('public', false)).toBeNull();
  expect(await failureOf(check('forbidden', true))).toMatchObject({
    code: 'invalid_value',
    field: 'url',
    message: 'url: must be a public URL: hooks.example is a private or reserved address. Add its range',
  });
  expect(await failureOf(check('forbidden', false))).toMatchObject({
    message: expect.stringContaining('Ask your admin to allow private networks'),
  });
});

test('a name without addresses is stored with a warning, unless it must resolve', async () => {
  expect(await check('unresolved', true)).toBe('hooks.example does not resolve to a public address yet.');
  expect(await failureOf(check('unresolved', true, true))).toMatchObject({ field: 'url' });
});

test('only operators learn that a name is in the internal network', async () => {
  expect(await failureOf(check('internal', true))).toMatchObject({
    message: expect.stringContaining('resolves to a private or reserved address'),
  });
  expect(await check('internal', false)).toBe(await check('unresolved', false));
  const messages = await Promise.all(
    (['internal', 'unresolved'] as const).map((verdict) => failureOf(check(verdict, false, true))),
  );
  expect(messages[0]).toEqual(messages[1]);
});
