import { expect, test } from 'bun:test';
import { randomSecret } from '../master-secret.ts';
import { checkSecrets, isWeak } from './check-secrets.ts';

test.each([
  'changeme-changeme',
  'please-change-this-secret',
  'your-secret-goes-here',
  'secret-secret-secret',
  'aaaaaaaaaaaaaaaaaaaaaaaa',
  'abababababababababab',
  '<SWITCHYARD_SECRET>',
  'MyPassword2026!!',
  '12345678901234567890',
])('%p is weak', (secret) => {
  expect(isWeak(secret)).toBe(true);
});

test('generated secrets are not weak', () => {
  expect(Array.from({ length: 50 }, randomSecret).filter(isWeak)).toEqual([]);
});

test('a finding names the setting and the remedy, and no part of the secret', () => {
  const [finding] = checkSecrets('changeme-by-all-means', null);
  expect(finding).toMatchObject({ level: 'warn', subject: 'master secret' });
  expect(finding?.message).toContain('switchyard secret rotate');
  expect(finding?.message).not.toContain('by-all-means');
  expect(checkSecrets(randomSecret(), null)).toEqual([]);
  expect(checkSecrets(null, null)).toEqual([]);
});
