import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Charge } from '../src/engine/ports/ledger.ts';
import type { RequestRecord } from '../src/engine/ports/request-log.ts';
import type { Store } from '../src/engine/ports/store.ts';
import { openPostgresStore } from '../src/stores/postgres/postgres-store.ts';
import { startTestPostgres } from '../src/stores/shared/testing/postgres.ts';
import { openSqliteStore } from '../src/stores/sqlite/sqlite-store.ts';
import { STORE_PORTS } from './gateway-process.ts';
import { POSTGRES_SETTINGS, reportStatements } from './postgres-server.ts';
import { readFamilyUsage } from './process-statistics.ts';
import { databaseServerPid } from './reseller/fill.ts';
import { median } from './statistics.ts';

/*
 * The cost of a charged request in SQLite, or in PostgreSQL, in µs of CPU time: its charge, and its log line. `bun bench/charges.ts [charges]
 * [in one commit] [accounts] [sqlite or postgres]`. Prints medians of rounds; asserts nothing.
 */

const CHARGES = Number(process.argv[2] ?? 40_000);
const AT_ONCE = Number(process.argv[3] ?? 25);
const ACCOUNTS = Number(process.argv[4] ?? 1);
const IS_POSTGRES = process.argv[5] === 'postgres';
const ROUNDS = 9;
const BATCH_ROWS = 100;
let last = 0;

function chargeOf(index: number): Charge {
  const account = `account-${index % ACCOUNTS}`;
  return {
    requestId: `req_${crypto.randomUUID()}`,
    accountId: account,
    keyId: 'key-1',
    costNanoUsd: 1_000n + BigInt(index % 77),
    fromAccountLease: 0n,
    fromKeyLease: 0n,
    atMs: Date.now(),
    usage: { modelId: 'model-1', channelId: 'channel-1', status: 200, tags: [] },
  };
}

function lineOf({ requestId, accountId, keyId, costNanoUsd, atMs }: Charge): RequestRecord {
  return {
    ...{ requestId, accountId, keyId, atMs, format: 'openai-chat', modelId: 'model-1' },
    ...{
      channelId: 'channel-1',
      provider: 'openai',
      upstreamModel: 'gpt',
      answerModel: null,
      stream: false,
      status: 200,
    },
    ...{ errorCode: null, failureKind: null, clientGone: false, retryCount: 0, failedAttempts: [], latencyMs: 120.25 },
    ...{
      firstByteMs: 110.5,
      costNanoUsd,
      upstreamRequestId: null,
      cacheMatch: null,
      cacheEntryId: null,
      isPrivate: false,
    },
    billable: {
      source: 'reported',
      quantities: [
        { unit: 'request', amount: 1 },
        { unit: 'input_token', amount: 100 },
        { unit: 'output_token', amount: 50 },
      ],
    },
  };
}

/** A store, and the CPU milliseconds of what runs its statements. */
interface Measured {
  readonly store: Store;
  readonly cpuMs: () => number;
  close(): Promise<void>;
}

async function openSqlite(): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-bench-'));
  const store = await openSqliteStore({ path: join(folder, 'switchyard.db'), secret: 'bench', ...STORE_PORTS });
  return {
    store,
    cpuMs: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    },
    async close() {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function openPostgres(): Promise<Measured> {
  const server = await startTestPostgres('newest', POSTGRES_SETTINGS);
  const url = await server.createDatabase();
  const store = await openPostgresStore({ url, secret: 'bench', ...STORE_PORTS });
  const [pid = 0] = await databaseServerPid(url);
  return {
    store,
    cpuMs: () => readFamilyUsage(pid).cpuMs,
    async close() {
      await reportStatements(url);
      await store.close();
      await server.stop();
    },
  };
}

const { store, cpuMs, close } = IS_POSTGRES ? await openPostgres() : await openSqlite();

/** Resolves to µs of CPU time per item. */
async function timed(count: number, work: () => Promise<void>): Promise<number> {
  const beforeMs = cpuMs();
  await work();
  return ((cpuMs() - beforeMs) * 1_000) / count;
}

try {
  const [charging, logging, rolling]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round <= ROUNDS; round++) {
    const charges = Array.from({ length: CHARGES }, () => chargeOf(last++));
    const ofCharges = await timed(CHARGES, async () => {
      for (let from = 0; from < CHARGES; from += AT_ONCE) {
        await Promise.all(charges.slice(from, from + AT_ONCE).map((charge) => store.ledger.charge(charge)));
      }
    });
    const lines = charges.map(lineOf);
    const ofLines = await timed(CHARGES, async () => {
      for (const line of lines) store.requestLog.append(line);
      await store.requestLog.flush();
    });
    const ofRolling = await timed(CHARGES, async () => {
      while ((await store.usage.roll(BATCH_ROWS)).isMore);
    });
    if (round > 0) {
      rolling.push(ofRolling);
      charging.push(ofCharges);
      logging.push(ofLines);
    }
  }
  console.log(
    `charge ${median(charging).toFixed(2)} µs, log line ${median(logging).toFixed(2)} µs, rolling up ${median(rolling).toFixed(2)} µs (${CHARGES} in commits of ${AT_ONCE}, ${ACCOUNTS} accounts)`,
  );
} finally {
  await close();
}
