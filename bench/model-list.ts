import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { DeclaredModel } from '../src/domain/catalog/model.ts';
import { SERVING_ONLY } from '../src/engine/ports/directory-store.ts';
import { providers } from '../src/providers/index.ts';
import { openSqliteStore } from '../src/stores/sqlite/sqlite-store.ts';
import { answersOk, freePort, startLogging } from './child-process.ts';
import { planCores, readFamilyUsage } from './process-statistics.ts';

/*
 * The CPU time of `GET /v1/models` with a thousand models: a cached answer, one that the client already has, and one recomputed after a
 * change of the directory, with and without the application of that change. `bun bench/model-list.ts [--models 1000] [--requests 500]
 * [--changes 100]`; it takes about a minute.
 */

const { values } = parseArgs({
  options: {
    models: { type: 'string', default: '1000' },
    requests: { type: 'string', default: '500' },
    changes: { type: 'string', default: '100' },
  },
});
const [MODELS, REQUESTS, CHANGES] = [values.models, values.requests, values.changes].map(Number) as [
  number,
  number,
  number,
];

const secret = (account: number) => `sk-bench${String(account).padStart(40, '0')}`;
/** The gateway has applied a change by then; it looks every 200 ms. */
const CHANGE_MS = 300;
const silent = () => {};
const MASTER_SECRET = 'a secret only for the benchmark';

/** Returns the ids of the product's catalog, followed by unknown ones. */
function modelIds(): string[] {
  const known = [...providers.values()].flatMap(({ models }) => (models?.() ?? []).map(({ id }) => id));
  const unknown = Array.from({ length: MODELS }, (_, index) => `house/model-${index}`);
  return [...new Set([...known, ...unknown])].slice(0, MODELS);
}

function configuration(ids: readonly string[]): object {
  const declared = ids.filter((id) => id.startsWith('house/')).map((id) => ({ id, pricing: { input_per_1m: '0.1' } }));
  return {
    channels: [
      {
        id: 'bench',
        provider: 'openai-compatible',
        base_url: 'http://127.0.0.1:9/v1',
        api_key: 'upstream-key',
        models: ids,
      },
    ],
    models: declared,
    accounts: Array.from({ length: REQUESTS }, (_, account) => ({
      id: `account-${account}`,
      requests_per_minute: 1_000_000,
      keys: [{ id: `key-${account}`, secret: secret(account) }],
    })),
  };
}

function changedModel(id: string, change: number): DeclaredModel {
  const nothing = { name: null, description: null, category: null, status: null, strategy: null, tags: null };
  const more = {
    cache: null,
    capabilities: null,
    operations: null,
    rules: null,
    fallbacks: [],
    batchPricePercent: null,
    createdAtMs: 0,
  } as const;
  return { id, ...nothing, ...more, origin: 'operator', ownedBy: `maker-${change}`, pricing: { input_per_1m: '0.1' } };
}

const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-models-'));
const port = await freePort();
const configFile = join(folder, 'switchyard.yaml');
const ids = modelIds();
writeFileSync(configFile, JSON.stringify(configuration(ids))); // JSON is YAML.
const gateway = await startLogging({
  command: [...planCores().serverPrefix, process.execPath, 'src/main/switchyard.ts', 'serve'],
  workingDirectory: join(import.meta.dir, '..'),
  environment: {
    PORT: String(port),
    HOST: '127.0.0.1',
    SWITCHYARD_DATA: join(folder, 'data'),
    SWITCHYARD_CONFIG: configFile,
    SWITCHYARD_SECRET: MASTER_SECRET,
  },
  logFile: join(folder, 'gateway.log'),
  isReady: () => answersOk(`http://127.0.0.1:${port}/healthz`),
  patienceMs: 15_000,
});

async function ask(account: number, etag?: string): Promise<{ readonly etag: string; readonly text: string }> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/models`, {
    headers: { authorization: `Bearer ${secret(account)}`, ...(etag === undefined ? {} : { 'if-none-match': etag }) },
  });
  const text = await response.text();
  if (response.status !== (etag === undefined ? 200 : 304))
    throw new Error(`${response.status}: ${text.slice(0, 500)}`);
  return { etag: response.headers.get('etag') ?? '', text };
}

/** Prints and returns the gateway's CPU time per repetition. */
async function measured(name: string, times: number, once: (index: number) => Promise<unknown>): Promise<number> {
  const beforeMs = readFamilyUsage(gateway.pid).cpuMs;
  for (let index = 0; index < times; index++) await once(index);
  const eachMs = (readFamilyUsage(gateway.pid).cpuMs - beforeMs) / times;
  console.log(`${name.padEnd(56)} ${eachMs.toFixed(2)} ms CPU each, over ${times}`);
  return eachMs;
}

const store = await openSqliteStore({
  path: join(folder, 'data', 'switchyard.sqlite'),
  secret: MASTER_SECRET,
  clock: { nowMs: () => Date.now(), monotonicMs: () => performance.now() },
  logger: { debug: silent, info: silent, warn: silent, error: silent },
});
const changed = ids.at(-1) ?? '';
let change = 0;
async function changeDirectory(): Promise<void> {
  change += 1;
  await store.directory.write(SERVING_ONLY, (writer) => writer.putModel(changedModel(changed, change)));
  await Bun.sleep(CHANGE_MS);
}

try {
  for (let index = 0; index < REQUESTS; index++) await ask(0);
  const { etag, text } = await ask(0);
  console.log(`${JSON.parse(text).data.length} models, ${(text.length / 1024).toFixed(0)} KB per response`);
  await measured('already encoded', REQUESTS, () => ask(0));
  await measured('current at the client (304)', REQUESTS, () => ask(0, etag));
  await measured('encoded: the first of each account', REQUESTS - 1, (index) => ask(index + 1));
  await measured(`idle, for ${CHANGE_MS} ms`, CHANGES, () => Bun.sleep(CHANGE_MS));
  const aloneMs = await measured('a directory change without a request', CHANGES, changeDirectory);
  const withAnswerMs = await measured('a directory change and a request', CHANGES, async () => {
    await changeDirectory();
    const answer = await ask(0);
    if (!answer.text.includes(`"maker-${change}"`)) throw new Error('the gateway has not applied the change');
  });
  console.log(`the response after a change (the difference): ${(withAnswerMs - aloneMs).toFixed(2)} ms`);
} finally {
  await store.close();
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
}
