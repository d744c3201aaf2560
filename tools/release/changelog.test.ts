import { describe, expect, test } from 'bun:test';
import { notesOf, parseLog, renderCommits, withRelease } from './changelog.ts';

const log = (...messages: readonly string[]) => messages.map((message, at) => `abc${at}\n${message}\n\0`).join('\n');

describe('commits', () => {
  test('conventional ones are read, and others are left out', () => {
    const commits = parseLog(log('feat(cli): add a command\n\nWhy.', "Merge branch 'x'", 'fix: end a loop'));
    expect(commits).toEqual([
      { hash: 'abc0', type: 'feat', scope: 'cli', subject: 'add a command', breaking: null },
      { hash: 'abc2', type: 'fix', scope: null, subject: 'end a loop', breaking: null },
    ]);
  });

  test('breaking changes are marked by "!", or explained in a footer', () => {
    const marked = parseLog(log('feat(api)!: rename a field'));
    expect(marked.map(({ breaking }) => breaking)).toEqual(['rename a field']);
    const explained = parseLog(log('fix: x\n\nWhy.\n\nBREAKING CHANGE: the field a\nis now b.\nReviewed-by: someone'));
    expect(explained.map(({ breaking }) => breaking)).toEqual(['the field a is now b.']);
  });

  test('a log without commits is an empty list', () => {
    expect(parseLog('')).toEqual([]);
  });

  test('only those that users notice are listed, breaking changes first', () => {
    const messages = ['refactor: move a file', 'fix(stores): b', 'perf: c', 'feat!: d', 'test: e'];
    expect(renderCommits(parseLog(log(...messages)))).toBe(`#### Breaking changes

- d (abc3)

#### Features

- d (abc3)

#### Fixes

- **stores:** b (abc1)

#### Performance

- c (abc2)`);
    expect(renderCommits(parseLog(log('docs: a')))).toBe('');
  });
});

const INTRODUCTION = '# Changelog\n\nAn introduction.';
const OLDER = '## 1.0.0 – 2026-01-01\n\n- A first line.';

describe('a release in the changelog', () => {
  test('takes what was written under Unreleased, and the commits', () => {
    const before = `${INTRODUCTION}\n\n## Unreleased\n\n### Added\n\n- A line.\n\n${OLDER}\n`;
    expect(withRelease(before, '1.1.0', '2026-02-03', '#### Fixes\n\n- b (abc1)')).toBe(
      `${INTRODUCTION}\n\n## Unreleased\n\n## 1.1.0 – 2026-02-03\n\n### Added\n\n- A line.\n\n### Commits\n\n#### Fixes\n\n- b (abc1)\n\n${OLDER}\n`,
    );
  });

  test('may be the first one, without commits', () => {
    const before = `${INTRODUCTION}\n\n## Unreleased\n\n- A line.\n`;
    const after = withRelease(before, '1.0.0-rc.1', '2026-02-03', '');
    expect(after).toBe(`${INTRODUCTION}\n\n## Unreleased\n\n## 1.0.0-rc.1 – 2026-02-03\n\n- A line.\n`);
    expect(notesOf(after, '1.0.0-rc.1')).toBe('- A line.');
  });

  test('is not made twice, and needs its place', () => {
    expect(() => withRelease(`${INTRODUCTION}\n\n## Unreleased\n\n${OLDER}\n`, '1.0.0', 'd', '')).toThrow(
      'already has a section for 1.0.0',
    );
    expect(() => withRelease(INTRODUCTION, '1.0.0', 'd', '')).toThrow('no section "## Unreleased"');
  });

  test('the notes of a version end where the next one begins', () => {
    const changelog = `${INTRODUCTION}\n\n## 1.1.0 – 2026-02-03\n\n- B.\n\n${OLDER}\n`;
    expect([notesOf(changelog, '1.1.0'), notesOf(changelog, '1.0.0')]).toEqual(['- B.', '- A first line.']);
    expect(() => notesOf(changelog, '1.0')).toThrow('no section for 1.0');
  });
});
