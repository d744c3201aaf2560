import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../domain/testing/until.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Store } from '../../engine/ports/store.ts';
import {
  sampleAccount,
  sampleChannel,
  sampleCharge,
  sampleCredential,
  sampleModel,
  sampleRecord,
} from '../../engine/ports/testing/samples.ts';
import { StoreOpenError } from '../shared/store-open-error.ts';
import { describeStoreContract, describeStoreLaws } from '../shared/testing/contract.ts';
import { ledgerArchiveTests } from '../shared/testing/ledger-archive-contract.ts';
import { recoveredLinesTests } from '../shared/testing/recovered-lines-contract.ts';
import { retentionTests } from '../shared/testing/retention-contract.ts';
import { openSqliteStore, type SqliteStoreOptions } from './sqlite-store.ts';
import { copyEmptyDatabase } from './testing/empty-database.ts';
import { openThreadlessStore } from './testing/writer-link.ts';

const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
const folders: string[] = [];
const stores: Store[] = [];

afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'switchyard-store-'));
  folders.push(folder);
  return folder;
}

function newPath(): string {
  return join(newFolder(), 'switchyard.db');
}

async function open(path: string, options: Partial<SqliteStoreOptions> = {}): Promise<Store> {
  const store = await openSqliteStore({
    path,
    secret: 'master',
    clock: { nowMs: () => Date.now(), monotonicMs: () => performance.now() },
    logger,
    ...options,
  });
  stores.push(store);
  return store;
}

async function openingError(path: string): Promise<StoreOpenError> {
  const error = await open(path).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StoreOpenError);
  const { message } = error as StoreOpenError;
  expect(message).toStartWith(`Cannot open the database ${path}: `);
  expect(message).not.toContain('\n');
  return error as StoreOpenError;
}

/** In memory if possible, since the contract tests results and not disk latency. */
const quickFolder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

async function openEmpty(clock: Clock): Promise<Store> {
  const path = join(newFolder(quickFolder), 'switchyard.db');
  await copyEmptyDatabase(path);
  return openThreadlessStore({ path, secret: 'master', clock, logger });
}

describeStoreContract('sqlite', openEmpty);

describe('after a crash', () => {
  let path = '';
  recoveredLinesTests(
    () => {
      path = newPath();
      return open(path);
    },
    () => open(path, { exclusive: true }),
  );
});

describe('sqlite store', () => {
  let path: string;
  let store: Store;
  beforeEach(async () => {
    path = join(newFolder(quickFolder), 'switchyard.db');
    await copyEmptyDatabase(path);
    const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
    store = await openThreadlessStore({ path, secret: 'master', clock, logger });
    stores.push(store);
  });
  const edit = async (sql: string) => {
    const database = new Database(path);
    try {
      database.run(sql);
    } finally {
      database.close();
    }
  };
  retentionTests(() => store, edit);
  ledgerArchiveTests(() => store, edit);
});
/** `acceptance/process/stores/sqlite.test.ts` runs many more histories, with the writer thread. */
describeStoreLaws('sqlite', openEmpty, 80);

describe('one file, several stores', () => {
  test('data survives reopening', async () => {
    const path = newPath();
    const first = await open(path);
    await first.directory.write('all', (writer) => {
      writer.putAccount(sampleAccount());
      writer.putCredential(sampleCredential({ limitNanoUsd: 2n ** 63n }));
      writer.putModel(sampleModel());
      writer.putChannel(sampleChannel());
    });
    first.requestLog.append(sampleRecord());
    const rows = await first.directory.read('all');
    await first.close();
    const second = await open(path);
    expect(await second.directory.read('all')).toEqual(rows);
    expect(await second.requestLog.recent(10)).toEqual([sampleRecord()]);
  });

  test('another store detects a write by its version, and reads its rows', async () => {
    const path = newPath();
    const [one, other] = [await open(path), await open(path)];
    const before = await other.directory.state();
    await one.directory.write('all', (writer) => writer.putModel(sampleModel()));
    expect(await other.directory.state()).not.toEqual(before);
    expect((await other.directory.read('all')).models).toEqual([sampleModel()]);
  });

  test('the version survives a restart', async () => {
    const path = newPath();
    const first = await open(path);
    await first.directory.write('all', (writer) => writer.putModel(sampleModel()));
    const version = await first.directory.state();
    await first.close();
    expect(await (await open(path)).directory.state()).toEqual(version);
  });

  test('a hand edit changes the version', async () => {
    const path = newPath();
    const store = await open(path);
    await store.directory.write('all', (writer) => writer.putModel(sampleModel()));
    const before = await store.directory.state();
    const tool = new Database(path);
    tool.run("UPDATE models SET status = 'hidden'");
    tool.close();
    expect(await store.directory.state()).not.toEqual(before);
  });

  test('stores that open a new file at the same time all open it', async () => {
    const path = newPath();
    const opened = await Promise.all([open(path), open(path), open(path), open(path)]);
    await opened[0].directory.write('all', (writer) => writer.putModel(sampleModel()));
    for (const store of opened) expect((await store.directory.read('all')).models).toHaveLength(1);
  });
});

describe('secrets', () => {
  test('an upstream key is never in the files as plain text', async () => {
    const folder = newFolder();
    const store = await open(join(folder, 'switchyard.db'));
    const apiKey = 'sk-upstream-0123456789abcdef';
    await store.directory.write('all', (writer) => writer.putChannel(sampleChannel({ apiKey })));
    const bytes = Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
    expect(bytes.includes('OpenAI main')).toBe(true);
    expect(bytes.includes(apiKey)).toBe(false);
    expect(bytes.includes(apiKey.slice(0, 12))).toBe(false);
    expect(bytes.includes(Buffer.from(apiKey).toString('base64url').slice(0, 12))).toBe(false);
  });

  test('another secret is refused with advice, also for a file from before secrets were marked', async () => {
    const path = newPath();
    await (await open(path)).directory.write('all', (writer) => writer.putChannel(sampleChannel()));
    await expect(open(path, { secret: 'other' })).rejects.toThrow(
      /created with another master secret.*SWITCHYARD_SECRET/,
    );
    const tool = new Database(path);
    tool.run('DELETE FROM secret_check');
    tool.close();
    await expect(open(path, { secret: 'other' })).rejects.toThrow('created with another master secret');
    expect((await (await open(path)).directory.read('all')).channels).toHaveLength(1);
  });

  test('a sealed key copied to another channel does not open there', async () => {
    const path = newPath();
    const store = await open(path);
    await store.directory.write('all', (writer) => {
      writer.putChannel(sampleChannel({ id: 'a' }));
      writer.putChannel(sampleChannel({ id: 'b', apiKey: 'sk-other' }));
    });
    const tool = new Database(path);
    tool.run("UPDATE channels SET sealed_api_key = (SELECT sealed_api_key FROM channels WHERE id = 'a')");
    tool.close();
    await expect(store.directory.read('all')).rejects.toThrow('channel:b');
  });

  test('only the owner can read the files', async () => {
    const folder = newFolder();
    const store = await open(join(folder, 'data', 'switchyard.db'));
    await store.directory.write('all', (writer) => writer.putModel(sampleModel()));
    for (const name of readdirSync(join(folder, 'data'))) {
      expect(statSync(join(folder, 'data', name)).mode & 0o077).toBe(0);
    }
  });
});

describe('opening errors', () => {
  test('a file that is not a database', async () => {
    const path = newPath();
    writeFileSync(path, 'This is a letter and not a database. '.repeat(500));
    expect((await openingError(path)).message).toContain('damaged or not a Switchyard database');
  });

  test('a database whose first page is damaged', async () => {
    const path = newPath();
    await (await open(path)).close();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xff, 100, 4096));
    expect((await openingError(path)).message).toContain('damaged or not a Switchyard database');
  });

  test('a folder in place of the file, and a file in place of the folder', async () => {
    expect((await openingError(newFolder())).message).toContain('SWITCHYARD_DATA');
    const file = newPath();
    writeFileSync(file, '');
    expect((await openingError(join(file, 'switchyard.db'))).message).toContain('SWITCHYARD_DATA');
  });

  test('a folder that cannot be written to', async () => {
    // Even root, as which tests may run, cannot create a folder under /proc.
    expect((await openingError('/proc/switchyard/switchyard.db')).message).toContain('cannot write the file');
  });

  test('a schema from a newer version', async () => {
    const path = newPath();
    await (await open(path)).close();
    const tool = new Database(path);
    tool.run("INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-future', '2030-01-01T00:00:00.000Z')");
    tool.close();
    expect((await openingError(path)).message).toContain('a newer version has changed it (9999-future)');
  });
});

test('after many writes, a thread copies what is in the WAL to the database file', async () => {
  const path = newPath();
  await copyEmptyDatabase(path);
  const store = await open(path);
  const { size } = statSync(path);
  // One commit each; the writer thread itself would copy only after four times as many pages.
  for (let index = 0; index < 110; index++) await store.ledger.charge(sampleCharge({ requestId: `request-${index}` }));
  await until('the database file grows', () => statSync(path).size > size);
});
