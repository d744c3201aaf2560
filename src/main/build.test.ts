import { expect, test } from 'bun:test';
import { BUILD, versionLine } from './build.ts';

test('the source tree is not a build', () => {
  expect(BUILD).toBeNull();
});

test.each([
  [null, '1.2.3'],
  [{ commit: 'abc123', date: '2026-11-29T18:00:00Z' }, '1.2.3 (commit abc123, built 2026-11-29T18:00:00Z)'],
  [{ commit: null, date: '2026-11-29T18:00:00Z' }, '1.2.3 (built 2026-11-29T18:00:00Z)'],
])('the version line of build %j is %s', (build, line) => {
  expect(versionLine('1.2.3', build)).toBe(line);
});
