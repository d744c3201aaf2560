import { expect, test } from 'bun:test';
import { HOSTILE_IDS, HOSTILE_VALUES } from '../testing/hostile-answers.ts';
import { jobWords } from './job-answer.ts';
import { fileAt, jobId } from './job-file.ts';

test('an id that could redirect a URL is invalid', () => {
  for (const id of HOSTILE_IDS) expect(jobId(id)).toBeNull();
  for (const id of ['736a6f88-bd29', 'suno_task_abc123', 'v3:abc', 'a..b']) expect(jobId(id)).toBe(id);
});

test('a file has an http(s) URL', () => {
  expect(fileAt('https://a.example/x.glb')).toEqual({ kind: 'url', url: 'https://a.example/x.glb' });
  for (const odd of [...HOSTILE_VALUES, 'ftp://a/b', `https://a/${'x'.repeat(20_000)}`, '//a/b']) {
    expect(fileAt(odd)).toBeNull();
  }
});

test('a provider’s message is stripped of URLs and secrets', () => {
  expect(jobWords('see https://cdn.example/a?sig=abc for <b>more</b>\nplease')).toBe('see for more please');
  expect(jobWords('key sk-abcdefghijklmnop1234 is bad')).not.toContain('abcdefghijklmnop');
  for (const odd of HOSTILE_VALUES) expect(typeof jobWords(odd)).toBe('string');
});
