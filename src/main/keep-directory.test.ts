import { afterEach, expect, test } from 'bun:test';
import { FakeMediaStore } from '../engine/call/testing/fake-media-store.ts';
import { RULES_OF_PROVIDERS } from '../engine/directory/channel-in-use.ts';
import { DirectorySource } from '../engine/directory/directory-source.ts';
import { RoutingMemory } from '../engine/health/routing-memory.ts';
import { sampleAccount, sampleCredential } from '../engine/ports/testing/samples.ts';
import { eventLoopTurns } from '../stores/shared/event-loop-turns.ts';
import { closeTestStores, openTestStore } from '../stores/sqlite/testing/test-store.ts';
import { type KeptDirectory, keepDirectory } from './keep-directory.ts';
import { systemClock } from './system.ts';

const silent = () => undefined;
const logger = { debug: silent, info: silent, warn: silent, error: silent };

let kept: KeptDirectory | null = null;
afterEach(() => kept?.stop());

/** Opens a gateway's directory over a database that can be made unavailable. */
afterEach(closeTestStores);

async function open() {
  const store = await openTestStore();
  await store.directory.write('all', (writer) => {
    writer.putAccount(sampleAccount({ id: 'acme' }));
    writer.putCredential(sampleCredential({ secretHash: 'hash' }));
  });
  const database = { isAway: false };
  const refuseWhileAway = () => {
    if (database.isAway) throw new Error('the database is unavailable');
  };
  const { directory } = store;
  const away = {
    ...{ read: directory.read.bind(directory), write: directory.write.bind(directory) },
    ...{ accounts: directory.accounts.bind(directory), credentials: directory.credentials.bind(directory) },
    names: directory.names.bind(directory),
    countKeys: directory.countKeys.bind(directory),
    hasUsableKey: directory.hasUsableKey.bind(directory),
    accountsChangedSince: directory.accountsChangedSince.bind(directory),
    servingChangedSince: directory.servingChangedSince.bind(directory),
    state: async () => {
      refuseWhileAway();
      return directory.state();
    },
    principal: async (hash: string) => {
      refuseWhileAway();
      return directory.principal(hash);
    },
  };
  const memory = new RoutingMemory(systemClock, Math.random);
  const ports = {
    store: away,
    providers: new Map(),
    memory,
    servers: RULES_OF_PROVIDERS,
    logger,
    turns: eventLoopTurns,
  };
  const source = await DirectorySource.open(ports);
  const media = new FakeMediaStore();
  const clock = { atMs: 0, nowMs: () => clock.atMs, monotonicMs: () => clock.atMs };
  kept = await keepDirectory({ source, store: { look: silent }, nodes: store.nodes, media, logger, clock });
  return { store, source, clock, database, media, kept };
}

test('cached keys are trusted for 30 seconds without the database, and no longer', async () => {
  const { source, clock, database, kept } = await open();
  expect((await source.principals.find('hash'))?.credential.id).toBe('ci');
  database.isAway = true;
  clock.atMs = 30_000;
  await kept.refresh();
  kept.look();
  expect([kept.problem, (await source.principals.find('hash'))?.credential.id]).toEqual([
    'the database cannot be read',
    'ci',
  ]);
  clock.atMs = 30_001;
  kept.look();
  expect(async () => source.principals.find('hash')).toThrow('the database is unavailable');
  database.isAway = false;
  await kept.refresh();
  kept.look();
  expect([kept.problem, (await source.principals.find('hash'))?.credential.id]).toEqual([null, 'ci']);
});

test('the node is listed with its version from before its first request until it stops', async () => {
  const { store, kept } = await open();
  const listed = async () => (await store.nodes.living()).map(({ accessVersion }) => accessVersion);
  const { accessVersion } = await store.directory.state();
  expect(await listed()).toEqual([accessVersion]);
  await store.directory.write('all', (writer) => writer.putAccount(sampleAccount({ id: 'other' })));
  await kept.refresh();
  await Bun.sleep(0);
  expect(await listed()).toEqual([accessVersion + 1]);
  await kept.stop();
  expect(await listed()).toEqual([]);
});

test('the media store learns which hosts use another place for files, until they have left', async () => {
  const { store, clock, media, kept } = await open();
  const beatLater = async () => {
    clock.atMs += 3_000;
    await kept.refresh();
    await Bun.sleep(0);
  };
  const other = { ...kept.node, id: 'node_other', hostName: 'elsewhere', accessVersion: 1, servingVersion: 1 };
  await store.nodes.beat({ ...other, id: 'node_same' });
  await store.nodes.beat({ ...other, id: 'node_old', mediaPlace: null });
  await beatLater();
  expect(media.splitFrom).toEqual([]);
  await store.nodes.beat({ ...other, mediaPlace: 'folder-of-another-machine' });
  await beatLater();
  expect(media.splitFrom).toEqual(['elsewhere']);
  await store.nodes.leave('node_other');
  await beatLater();
  expect(media.splitFrom).toEqual([]);
});
