import { afterAll, beforeAll } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../src/engine/ports/clock.ts';
import { describeStoreContract, describeStoreLaws } from '../../../src/stores/shared/testing/contract.ts';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store.ts';
import { copyEmptyDatabase } from '../../../src/stores/sqlite/testing/empty-database.ts';

/* What src/stores/sqlite/sqlite-store.test.ts shows of a store in one thread, with the thread that writes and many histories. */

const HISTORIES = 1_500;
const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
let folder: string;

beforeAll(() => {
  // They are about what is written, not about waiting for a disk: in memory, where there is such a folder.
  folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'switchyard-laws-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function openEmpty(clock: Clock) {
  const path = join(folder, `${crypto.randomUUID()}.sqlite`);
  await copyEmptyDatabase(path);
  return openSqliteStore({ path, secret: 'master', clock, logger });
}

describeStoreContract('sqlite', openEmpty);
describeStoreLaws('sqlite', openEmpty, HISTORIES);
