import { expect, test } from 'bun:test';
import { atOnce } from '../../formats/shared/request/steps.ts';
import { type DigestedInput, inputDigest } from './input-digest.ts';

const digest = (settings: unknown, ...inputs: DigestedInput[]) => atOnce(inputDigest(settings, inputs));

test('a digest is as long as a cache key', () => {
  expect(digest({}, 'a')).toMatch(/^[\w-]{43}$/);
});

test('the order of members does not matter', () => {
  expect(digest({ a: 1, b: { c: 2, d: 3 } }, 'x')).toBe(digest({ b: { d: 3, c: 2 }, a: 1 }, 'x'));
});

test('everything else changes the digest', () => {
  const long = 'a'.repeat(200_000);
  const digests = [
    digest({}, 'a'),
    digest({ a: 1 }, 'a'),
    digest({}, 'ab'),
    digest({}, 'a', 'b'),
    digest({}, 'b', 'a'),
    digest({}, 'a', ''),
    digest({}, ''),
    digest({}),
    digest({}, [97]),
    digest({}, [97], [98]),
    digest({}, [97, 98]),
    digest({}, [353]),
    digest({}, [4_294_967_295]),
    digest({}, long),
    digest({}, `${long}b`),
    digest({}, `${long.slice(1)}b`),
    // UTF-8 encodes both as the replacement character.
    digest({}, '\ud800'),
    digest({}, '\ud801'),
  ];
  expect(new Set(digests).size).toBe(digests.length);
});

test('a long input is digested in many steps, also across a surrogate pair', () => {
  const text = '😀'.repeat(100_001);
  const steps = [...inputDigest({}, [`a${text}`, Array.from({ length: 300_000 }, (_, at) => at)])];
  expect(steps.length).toBe(2 + 3);
  expect(digest({}, `a${text}`)).toBe(digest({}, `a${text}`));
});
