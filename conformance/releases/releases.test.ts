import { expect, test } from 'bun:test';
import { Workspace } from '../shared/workspace.ts';
import { checkRelease } from './check.ts';
import { copyRelease, knownOf, releases } from './release.ts';

const RELEASES = releases();

test('there is data of every released version', () => {
  expect(RELEASES.map(({ version }) => version)).toContain('0.1.0');
});

test.each(RELEASES.map(({ version }) => version))('this version works with the SQLite file of %s', async (version) => {
  const space = await Workspace.create();
  try {
    await copyRelease(version, space.database);
    await checkRelease(space, await knownOf(version, 'sqlite'));
  } finally {
    await space.remove();
  }
});
