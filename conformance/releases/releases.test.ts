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

test.each(RELEASES.map(({ version }) => version))('a backup of the SQLite file of %s is restored', async (version) => {
  const [space, other] = [await Workspace.create(), await Workspace.create()];
  try {
    const known = await knownOf(version, 'sqlite');
    const env = { SWITCHYARD_SECRET: known.secret };
    await copyRelease(version, space.database);
    const file = space.path('backup.tar');
    expect(await space.run(['backup', file], { env })).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await other.run(['restore', file], { env })).toMatchObject({ exitCode: 0, stderr: '' });
    await checkRelease(other, known);
  } finally {
    await Promise.all([space.remove(), other.remove()]);
  }
});

test.each(RELEASES.map(({ version }) => version))(
  'the master secret of the data of %s can be changed',
  async (version) => {
    const space = await Workspace.create();
    try {
      const known = await knownOf(version, 'sqlite');
      const secret = 'the master secret from now on 0123456789';
      await copyRelease(version, space.database);
      const env = { SWITCHYARD_SECRET: known.secret, SWITCHYARD_NEW_SECRET: secret };
      expect(await space.run(['secret', 'rotate'], { env })).toMatchObject({ exitCode: 0 });
      await checkRelease(space, { ...known, secret });
    } finally {
      await space.remove();
    }
  },
);
