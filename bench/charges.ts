import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Charge } from '../src/engine/ports/ledger.ts';
import type { RequestRecord } from '../src/engine/ports/request-log.ts';
import { openSqliteStore } from '../src/stores/sqlite/sqlite-store.ts';

/*
 * The cost of a charged request in SQLite, in µs of CPU time: its charge, and its log line. `bun bench/charges.ts [charges] [in one commit]
 * [accounts]`. Prints medians of rounds; asserts nothing.
 */

const CHARGES = Number(process.argv[2] ?? 40_000);
const AT_ONCE = Number(process.argv[3] ?? 25);
const ACCOUNTS = Number(process.argv[4] ?? 1);
const ROUNDS = 9;
const BATCH_ROWS = 100;

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
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

/** Resolves to µs of CPU time per item. */
async function timed(count: number, work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const folder = await mkdtemp(join(tmpdir(), 'switchyard-bench-'));
try {
  const path = join(folder, 'switchyard.db');
  const store = await openSqliteStore({ path, secret: 'bench', clock, logger: silent });
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
  await store.close();
} finally {
  await rm(folder, { recursive: true, force: true });
}
