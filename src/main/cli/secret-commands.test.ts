import { afterEach, beforeEach, expect, test } from 'bun:test';
import { copyFile, mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { sampleChannel } from '../../engine/ports/testing/samples.ts';
import { openSqliteStore } from '../../stores/sqlite/sqlite-store.ts';
import { CommandFixture } from './testing/command-fixture.ts';

const SECRET = 'the secret of the folder 0123456789';
const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };

let fixture: CommandFixture;

beforeEach(async () => {
  fixture = await CommandFixture.create();
  await mkdir(fixture.path('data'));
  await writeFile(fixture.path('data/master-secret'), `${SECRET}\n`, { mode: 0o600 });
  const store = await open(SECRET);
  await store.directory.write('all', (writer) =>
    writer.putChannel(sampleChannel({ id: 'openai-main', owner: null, apiKey: 'sk-upstream' })),
  );
  await store.close();
});
afterEach(() => fixture.remove());

function open(secret: string) {
  return openSqliteStore({ path: fixture.path('data/switchyard.sqlite'), secret, clock: fixture.clock, logger });
}

async function secretInFolder(): Promise<string> {
  return (await readFile(fixture.path('data/master-secret'), 'utf8')).trim();
}

async function upstreamKey(secret: string): Promise<string | null | undefined> {
  const store = await open(secret);
  const { channels } = await store.directory.read('all');
  await store.close();
  return channels[0]?.apiKey;
}

test('rotate replaces the secret in the folder', async () => {
  const { exitCode, stdout } = await fixture.run(['secret', 'rotate']);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Re-encrypted: 1 channel keys.')]);
  const secret = await secretInFolder();
  expect(secret).not.toBe(SECRET);
  expect(await upstreamKey(secret)).toBe('sk-upstream');
});

test('rotate that was killed before replacing the file is completed when run again', async () => {
  await copyFile(fixture.path('data/master-secret'), fixture.path('old'));
  await fixture.run(['secret', 'rotate']);
  const secret = await secretInFolder();
  await rename(fixture.path('data/master-secret'), fixture.path('data/master-secret.next'));
  await rename(fixture.path('old'), fixture.path('data/master-secret'));
  const refused = await fixture.run(['secret', 'forget', '--yes']);
  expect(refused.stderr).toContain('an interrupted "switchyard secret rotate"');
  const { stdout } = await fixture.run(['secret', 'rotate']);
  expect(stdout).toContain('already uses the new secret');
  expect(await secretInFolder()).toBe(secret);
});

test('rotate reads the new secret from the environment if the current one is set there', async () => {
  const without = await fixture.run(['secret', 'rotate'], { SWITCHYARD_SECRET: SECRET });
  expect([without.exitCode, without.stderr]).toEqual([
    1,
    expect.stringContaining('SWITCHYARD_NEW_SECRET: is required'),
  ]);
  const next = (await fixture.run(['secret', 'generate'])).stdout.trim();
  const same = { SWITCHYARD_SECRET: SECRET, SWITCHYARD_NEW_SECRET: SECRET };
  expect((await fixture.run(['secret', 'rotate'], same)).stderr).toContain('is already the secret in use');
  const { stdout } = await fixture.run(['secret', 'rotate'], { ...same, SWITCHYARD_NEW_SECRET: next });
  expect(stdout).toContain('Set SWITCHYARD_SECRET to the new secret on every node');
  expect(stdout).not.toContain(next);
  expect(await upstreamKey(next)).toBe('sk-upstream');
});

test('forget needs confirmation, and names the channels that need their keys', async () => {
  await unlink(fixture.path('data/master-secret'));
  const unasked = await fixture.run(['secret', 'forget']);
  expect([unasked.exitCode, unasked.stderr]).toEqual([2, expect.stringContaining('Add --yes')]);
  const { stdout } = await fixture.run(['secret', 'forget', '--yes']);
  expect(stdout).toContain('Channels that need their keys again: openai-main');
  expect(await upstreamKey(await secretInFolder())).toBeNull();
});
