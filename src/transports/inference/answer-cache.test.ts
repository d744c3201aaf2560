import { beforeEach, describe, expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import { sampleDirectory } from '../../engine/directory/testing/sample-directory.ts';
import { AnswerCache, type CachedAnswer, isNotModified } from './answer-cache.ts';

const NOW_MS = 1_790_000_000_000;
const directory = sampleDirectory({});

let cache: AnswerCache;
/** The keys whose answers were computed, in order. */
let made: string[];

beforeEach(() => {
  cache = new AnswerCache();
  made = [];
});

interface Asked {
  readonly nowMs?: number;
  readonly untilMs?: number | null;
  readonly of?: typeof directory;
  readonly body?: string;
}

function ask(key: string, { nowMs = NOW_MS, untilMs = null, of = directory, body = `of ${key}` }: Asked = {}) {
  const answer = cache.get(of, key, nowMs, () => {
    made.push(key);
    return { body, untilMs };
  });
  return answer instanceof Failure ? expect.unreachable() : answer;
}

describe('a cached response', () => {
  test('is made once and then reused', () => {
    const first = ask('a');
    expect(ask('a')).toBe(first);
    expect([first.body, made]).toEqual(['of a', ['a']]);
  });

  test('is stored under its own key', () => {
    expect([ask('a').body, ask('b').body, ask('a').body]).toEqual(['of a', 'of b', 'of a']);
  });

  test('is reused until it expires, and then made again', () => {
    const untilMs = NOW_MS + 1_000;
    ask('a', { untilMs });
    ask('a', { nowMs: untilMs - 1 });
    expect(made).toEqual(['a']);
    ask('a', { nowMs: untilMs });
    expect(made).toEqual(['a', 'a']);
  });

  test('without an expiry is kept', () => {
    ask('a');
    ask('a', { nowMs: Number.MAX_SAFE_INTEGER });
    expect(made).toEqual(['a']);
  });

  test('is not reused for another directory', () => {
    const other = sampleDirectory({});
    ask('a');
    expect(ask('a', { of: other, body: 'new' }).body).toBe('new');
    expect(ask('a').body).toBe('of a');
  });

  test('is not stored if it failed', () => {
    const failure = new Failure('model_not_found', { message: 'not yet' });
    expect(cache.get(directory, 'a', NOW_MS, () => failure)).toBe(failure);
    expect(ask('a').body).toBe('of a');
  });
});

describe('the tag', () => {
  const tagOf = ({ etag }: CachedAnswer) => etag;

  test('is strong', () => {
    expect(ask('a').etag).toMatch(/^"[\w-]+"$/);
  });

  test('depends only on the text', () => {
    const tags = [ask('a', { body: 'x' }), ask('b', { body: 'x' }), ask('c', { body: 'y' })].map(tagOf);
    expect([tags[0] === tags[1], tags[0] === tags[2]]).toEqual([true, false]);
  });
});

describe('the cache is bounded', () => {
  const MEGABYTE = 'x'.repeat(1024 * 1024);

  test('by the size of the responses', () => {
    for (let index = 0; index < 40; index++) ask(`${index}`, { body: MEGABYTE });
    made = [];
    ask('0');
    expect(made).toEqual(['0']);
  });

  test('by their number, however short they are', () => {
    // Each entry counts as two thousand characters: its key plus the overhead of an entry.
    const keys = Array.from({ length: 20_000 }, (_, index) => `${index}`.padEnd(1_000, '-'));
    for (const key of keys) ask(key, { body: '' });
    made = [];
    ask(keys[0] ?? '', { body: '' });
    expect(made).toHaveLength(1);
  });

  test('by the length of a key: a very long one is not stored', () => {
    const key = 'k'.repeat(1_025);
    expect([ask(key).body, ask(key).body]).toEqual([`of ${key}`, `of ${key}`]);
    expect(made).toHaveLength(2);
  });

  test('and keeps usual responses', () => {
    for (let index = 0; index < 1_000; index++) ask(`${index}`);
    made = [];
    for (let index = 0; index < 1_000; index++) ask(`${index}`);
    expect(made).toEqual([]);
  });

  test('and a new response replaces the old one', () => {
    ask('kept');
    for (let index = 0; index < 40; index++)
      ask('a', { body: MEGABYTE, nowMs: NOW_MS + index, untilMs: NOW_MS + index });
    made = [];
    ask('kept');
    expect(made).toEqual([]);
  });
});

describe('If-None-Match', () => {
  test.each<[boolean, string | null]>([
    [true, '"a"'],
    [true, 'W/"a"'],
    [true, '"b", "a"'],
    [true, '"b",W/"a"'],
    [true, '*'],
    [true, ' "a" '],
    [false, null],
    [false, ''],
    [false, '"b"'],
    [false, 'a'],
    [false, 'w/"a"'],
    [false, '"A"'],
    [false, '"b", "aa"'],
  ])('%p: %j names "a"', (names, header) => {
    expect(isNotModified(header, '"a"')).toBe(names);
  });
});
