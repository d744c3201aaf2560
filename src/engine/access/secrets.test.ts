import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { hashSecret, newSecret, previewOf, randomBase62 } from './secrets.ts';

test('a new key is its prefix and 48 base62 characters', () => {
  expect(newSecret('inference')).toMatch(/^sk-[0-9A-Za-z]{48}$/);
  expect(newSecret('management')).toMatch(/^mt-[0-9A-Za-z]{48}$/);
});

test('no base62 character is favoured: the counts pass a chi-square test', () => {
  const draws = 620_000;
  const counts = new Map<string, number>();
  for (const character of randomBase62(draws)) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect(counts.size).toBe(62);
  const expected = draws / 62;
  let chiSquare = 0;
  for (const count of counts.values()) chiSquare += (count - expected) ** 2 / expected;
  // 61 degrees of freedom: mean 61, standard deviation 11. A plain modulo of a byte gives about 6,000 here.
  expect(chiSquare).toBeLessThan(61 + 10 * 11);
});

test('the hash is SHA-256 in lower-case hex, of any text', () => {
  fc.assert(
    fc.property(fc.string(), (text) => hashSecret(text) === createHash('sha256').update(text, 'utf8').digest('hex')),
  );
});

test('a preview shows at most a third of what follows the prefix', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^sk-[0-9A-Za-z]{8,60}$/), (secret) => {
      const [head = '', tail = ''] = previewOf(secret).split('…');
      return (
        secret.startsWith(head) && secret.endsWith(tail) && head.length - 3 + tail.length <= (secret.length - 3) / 3
      );
    }),
  );
  expect(previewOf(`sk-ab${'0'.repeat(40)}wxyz`)).toBe('sk-ab…wxyz');
});
