import { expect, test } from 'bun:test';
import { soughtIn } from './sought.ts';

test('a text is sought as part of a name, without the spaces around it', () => {
  expect(soughtIn('  build bot ')).toEqual({ words: 'build bot' });
});

test('a request id is also sought as such', () => {
  const id = 'req_01979c2e-7f4b-7d8a-9c1e-0123456789ab';
  expect(soughtIn(id)).toEqual({ words: id, requestId: id });
});

test.each(['', ' a ', 'x'.repeat(201)])('nothing is sought for %j', (typed) => {
  expect(soughtIn(typed)).toEqual({});
});

test('a secret is never sent, its preview is', () => {
  expect(soughtIn(`sk-${'a1'.repeat(20)}`)).toEqual({});
  expect(soughtIn('sk-narrow-of-acme-01')).toEqual({});
  expect(soughtIn(`Bearer mt-${'a1'.repeat(20)}`)).toEqual({});
  expect(soughtIn('sk-a1b2…c3d4')).toEqual({ words: 'sk-a1b2…c3d4' });
});
