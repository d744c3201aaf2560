import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Account } from '../src/domain/access/account.ts';
import type { Credential } from '../src/domain/access/api-key.ts';
import { hashSecret } from '../src/engine/access/secrets.ts';
import { changeAccount } from '../src/engine/admin/accounts/change-accounts.ts';
import { listAccounts, showAccount } from '../src/engine/admin/accounts/read-accounts.ts';
import { changeKey, createKey, revokeKey } from '../src/engine/admin/keys/change-keys.ts';
import { listKeys } from '../src/engine/admin/keys/read-keys.ts';
import { openSqliteStore } from '../src/stores/sqlite/sqlite-store.ts';
import { answersOk, freePort, startLogging } from './child-process.ts';
import { planCores, readFamilyUsage } from './process-statistics.ts';

/*
 * The cost of a reseller's gateway: start time and memory with few and with many keys, the time to create a key, and how soon a gateway
 * accepts it and rejects it after its revocation. `bun bench/many-keys.ts [--accounts 50000] [--keys 4] [--changes 50]`: keys per account;
 * it takes about a minute.
 */

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '50000' },
    keys: { type: 'string', default: '4' },
    changes: { type: 'string', default: '50' },
  },
});
const [ACCOUNTS, KEYS, CHANGES] = [values.accounts, values.keys, values.changes].map(Number) as [
  number,
  number,
  number,
];

const MASTER_SECRET = 'a secret only for the benchmark';
const AT_ONCE = 5_000;
const silent = () => {};
const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

const secretOf = (account: number, key: number) => `sk-bench${String(account * KEYS + key).padStart(40, '0')}`;

function accountOf(account: number): Account {
  const limits = { requestsPerMinute: 1_000_000, tokensPerMinute: null, maxConcurrent: null, budget: null };
  const statements = { strategy: null, cache: null };
  const rest = {
    role: 'User',
    admin: false,
    billing: 'prepaid',
    capture: 'none',
    captureDays: null,
    quotas: null,
    billingDetails: null,
    fallbacks: [],
    createdAtMs: 0,
    archivedAtMs: null,
    origin: 'operator',
  } as const;
  return { id: `account-${account}`, name: `Account ${account}`, ...limits, ...statements, ...rest };
}

function credentialOf(account: number, key: number): Credential {
  const secret = secretOf(account, key);
  const limits = { limitNanoUsd: null, budget: null, models: null, requestsPerMinute: null, expiresAtMs: null };
  const rest = {
    kind: 'inference',
    capture: null,
    usageAccess: 'key',
    revokedAtMs: null,
    createdBy: null,
    createdAtMs: 0,
    origin: 'operator',
    ...limits,
  } as const;
  const accountId = `account-${account}`;
  return {
    id: `key-${account}-${key}`,
    accountId,
    name: 'Key',
    secretHash: hashSecret(secret),
    preview: secret,
    previousSecret: null,
    scopes: null,
    ...rest,
  };
}

async function openStore(folder: string) {
  const path = join(folder, 'switchyard.sqlite');
  const logger = { debug: silent, info: silent, warn: silent, error: silent };
  return openSqliteStore({ path, secret: MASTER_SECRET, clock, logger });
}

async function fill(folder: string, accounts: number): Promise<void> {
  const store = await openStore(folder);
  for (let from = 0; from < accounts; from += AT_ONCE) {
    await store.directory.write({ serving: false }, (writer) => {
      for (let account = from; account < Math.min(from + AT_ONCE, accounts); account++) {
        writer.putAccount(accountOf(account));
        for (let key = 0; key < KEYS; key++) writer.putCredential(credentialOf(account, key));
      }
    });
  }
  await store.close();
}

async function start(folder: string) {
  const port = await freePort();
  const startedMs = performance.now();
  const gateway = await startLogging({
    command: [...planCores().serverPrefix, process.execPath, 'src/main/switchyard.ts', 'serve'],
    workingDirectory: join(import.meta.dir, '..'),
    environment: { PORT: String(port), HOST: '127.0.0.1', SWITCHYARD_DATA: folder, SWITCHYARD_SECRET: MASTER_SECRET },
    logFile: join(folder, 'gateway.log'),
    isReady: () => answersOk(`http://127.0.0.1:${port}/readyz`),
    patienceMs: 60_000,
  });
  return { gateway, startMs: performance.now() - startedMs, origin: `http://127.0.0.1:${port}` };
}

async function statusOf(origin: string, secret: string): Promise<number> {
  const response = await fetch(`${origin}/v1/models/nothing`, { headers: { authorization: `Bearer ${secret}` } });
  await response.bytes();
  return response.status;
}

function report(name: string, value: number, unit: string): void {
  console.log(`${name.padEnd(64)} ${value.toFixed(1)} ${unit}`);
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/** Measures what an administrator waits for, with enough repetitions. */
async function administer(folder: string, accounts: number): Promise<void> {
  const store = await openStore(folder);
  const middle = Math.floor(accounts / 2);
  const accountId = `account-${middle}`;
  const key = { accountId, kind: 'inference', id: `key-${middle}-0` } as const;
  let after: string | null = null;
  let renamed = 0;
  const verbs: Record<string, () => Promise<unknown>> = {
    'next page of 50 accounts with balances': async () => {
      ({ next: after } = await listAccounts(store, { after }));
    },
    'first page of 50 keys of all accounts': () => listKeys(store, { kind: 'inference' }),
    'all management tokens (there are none)': () => listKeys(store, { kind: 'management' }),
    'keys of one account': () => listKeys(store, { accountId }),
    'one misspelled account id': () => showAccount(store, `${accountId}x`).catch(() => null),
    'change of one account': () => changeAccount(store.directory, accountId, { name: `Renamed ${renamed++}` }),
    'change of one key': () => changeKey(store.directory, clock, key, { name: `Renamed ${renamed++}` }),
  };
  try {
    for (const [name, verb] of Object.entries(verbs)) {
      const times: number[] = [];
      for (let index = 0; index < CHANGES; index++) times.push(await timed(verb));
      report(`${name}, median`, median(times), 'ms');
    }
  } finally {
    await store.close();
  }
}

/** Creates and revokes keys beside the running gateway, as the command line does. */
async function change(folder: string, origin: string): Promise<void> {
  const store = await openStore(folder);
  const times = { made: [] as number[], known: [] as number[], ended: [] as number[] };
  try {
    for (let index = 0; index < CHANGES; index++) {
      const accountId = `account-${index % ACCOUNTS}`;
      let secret = '';
      const madeMs = await timed(async () => {
        const made = await createKey(store.directory, clock, { accountId, kind: 'inference' }, {});
        secret = made.secret ?? '';
      });
      times.made.push(madeMs);
      times.known.push(await timed(() => until(async () => (await statusOf(origin, secret)) !== 401)));
      await revokeKey(store.directory, clock, secret);
      times.ended.push(await timed(() => until(async () => (await statusOf(origin, secret)) === 401)));
    }
  } finally {
    await store.close();
  }
  report('key created (fsync included), median', median(times.made), 'ms');
  report('until the gateway accepts it, median', median(times.known), 'ms');
  report('until the gateway rejects the revoked key, median', median(times.ended), 'ms');
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await Bun.sleep(5);
}

async function measure(accounts: number): Promise<void> {
  console.log(`\n${accounts} accounts, ${accounts * KEYS} keys`);
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-keys-'));
  try {
    await fill(folder, accounts);
    await administer(folder, accounts);
    const { gateway, startMs, origin } = await start(folder);
    try {
      report('start until ready', startMs, 'ms');
      report('memory of the gateway', readFamilyUsage(gateway.pid).rssBytes / 1024 / 1024, 'MiB');
      const beforeMs = readFamilyUsage(gateway.pid).cpuMs;
      await change(folder, origin);
      report(
        'CPU of the gateway for each key, in total',
        (readFamilyUsage(gateway.pid).cpuMs - beforeMs) / CHANGES,
        'ms',
      );
      const used = Math.min(accounts * KEYS, 5_000);
      for (let index = 0; index < used; index++)
        await statusOf(origin, secretOf(index % accounts, Math.floor(index / accounts)));
      report(`memory after ${used} keys were used`, readFamilyUsage(gateway.pid).rssBytes / 1024 / 1024, 'MiB');
    } finally {
      await gateway.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await measure(100);
await measure(ACCOUNTS);
