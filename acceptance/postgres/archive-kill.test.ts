import { afterEach, beforeEach } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { type SharedTestPostgres, sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { archiveKillTests } from '../process/stores/archive-kill-contract.ts';

const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
const clock = { nowMs: () => 1, monotonicMs: () => performance.now() };

let server: SharedTestPostgres;
let url: string;
let folder: string;

beforeEach(async () => {
  server = await sharedTestPostgres();
  url = await server.createMigratedDatabase();
  folder = await mkdtemp(join(tmpdir(), 'switchyard-archive-kill-'));
}, 600_000);
afterEach(async () => {
  await server.dropDatabase(url);
  await rm(folder, { recursive: true });
});

archiveKillTests(() => ({
  place: url,
  folder,
  open: () => openPostgresStore({ url, secret: 'crash', clock, logger }),
}));
