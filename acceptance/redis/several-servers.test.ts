import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { until } from '../../conformance/shared/until.ts';
import { digestOf, sampleCacheEntry, sampleQuestion } from '../../src/engine/ports/testing/sample-cache-entry.ts';
import { MemoryConversationState } from '../../src/stores/in-process/conversation-state.ts';
import { MemoryRateCounters } from '../../src/stores/in-process/rate-counters.ts';
import { openRedisCache } from '../../src/stores/redis/cache.ts';
import { RedisConversationState } from '../../src/stores/redis/conversation-state.ts';
import { RedisRateCounters } from '../../src/stores/redis/rate-counters.ts';
import { RedisServer } from '../../src/stores/redis/testing/redis-server.ts';
import { TEST_CACHE } from '../../src/stores/shared/testing/cache-contract.ts';
import { kindOf } from '../../src/stores/shared/testing/conversation-state-contract.ts';
import { taken } from '../../src/stores/shared/testing/rate-counters-contract.ts';

setDefaultTimeout(600_000);

let errors: string[] = [];
const silent = () => {};
const logger = {
  debug: silent,
  info: silent,
  warn: silent,
  error: (fields: object, message: string) => void errors.push(`${message} ${JSON.stringify(fields)}`),
};

/** A slow machine must not look like an outage. */
const patience = () => 100;

const servers: RedisServer[] = [];
const opened: { close(): Promise<void> }[] = [];

async function start(...options: readonly string[]): Promise<RedisServer> {
  const server = await RedisServer.start(...options);
  servers.push(server);
  return server;
}

async function open(url: string): Promise<RedisRateCounters> {
  const local = new MemoryRateCounters({ monotonicMs: () => performance.now() });
  const counters = await RedisRateCounters.connect({ url, whenAway: 'refuse', local, logger, patience });
  opened.push(counters);
  return counters;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((counters) => counters.close()));
  await Promise.all(servers.splice(0).map((server) => server.stop()));
  errors = [];
});

describe('three processes on one Redis', () => {
  test('together admit exactly as many as one would in any window', async () => {
    const server = await start();
    // Enough for several windows, whichever process gets more.
    const [limit, windowMs, wanted] = [60, 500, 100];
    const children = Array.from({ length: 3 }, () =>
      Bun.spawn(
        [process.execPath, `${import.meta.dir}/taker.child.ts`, server.url, ...[limit, windowMs, wanted].map(String)],
        { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' },
      ),
    );
    const outputs = await Promise.all(children.map((child) => child.stdout.json() as Promise<[number, number][]>));
    const admissions = outputs.flat();
    // An admission happened at some time within its round trip, so only a window that certainly holds too many is an error.
    const begins = admissions.map(([fromMs]) => fromMs).sort((a, b) => a - b);
    const ends = admissions.map(([, toMs]) => toMs).sort((a, b) => a - b);
    for (const [index, fromMs] of begins.entries()) {
      const tooEarlyMs = ends[index + limit];
      if (tooEarlyMs !== undefined) expect(tooEarlyMs - fromMs).toBeGreaterThanOrEqual(windowMs - CLOCKS_DIFFER_MS);
    }
    for (const output of outputs) expect(output.length).toBeGreaterThanOrEqual(wanted);
  });
});

/** Each process rounds the zero of its monotonic clock. */
const CLOCKS_DIFFER_MS = 3;

const SLOTS = 16_384;

/** Does the same as `redis-cli --cluster create`, which waits whole seconds between its steps. */
async function startCluster(): Promise<readonly RedisServer[]> {
  const nodes = await Promise.all(
    // A node that a busy machine delays must not be declared failed.
    Array.from({ length: 3 }, () => RedisServer.start('--cluster-enabled', 'yes', '--cluster-node-timeout', '60000')),
  );
  for (const [index, node] of nodes.entries()) {
    const [first, next] = [index, index + 1].map((at) => Math.ceil((SLOTS / nodes.length) * at));
    await node.run('cluster', 'addslotsrange', String(first), String((next ?? SLOTS) - 1));
    await node.run('cluster', 'set-config-epoch', String(index + 1));
  }
  for (const node of nodes.slice(1)) await nodes[0]?.run('cluster', 'meet', '127.0.0.1', String(node.port));
  await until('the cluster is healthy', async () => {
    const states = await Promise.all(nodes.map((node) => node.run('cluster', 'info')));
    return states.every((state) => state.includes('cluster_state:ok') && state.includes('cluster_known_nodes:3'));
  });
  return nodes;
}

describe('a cluster', () => {
  let nodes: readonly RedisServer[] = [];
  let hosts: readonly string[] = [];
  beforeAll(async () => {
    nodes = await startCluster();
    hosts = nodes.map(({ host }) => host);
  });
  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.run('flushall')));
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
  });

  test('counts all limits of one request on a single node', async () => {
    const [a, b] = [await open(`redis://${hosts.join(',')}`), await open(`redis+cluster://${hosts[0]}`)];
    for (const account of ['acme', 'globex', 'initech', 'umbrella']) {
      const window = (name: string, limit: number) => ({
        scope: `{${account}}:${name}`,
        limit,
        windowMs: 600_000,
        amount: 1,
      });
      const quota = {
        windows: [window('requests', 7), window('key:k', 9)],
        places: { scope: `{${account}}:running`, limit: 100 },
      };
      const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => taken(index % 2 ? a : b, quota)));
      expect(answers.filter(({ isAdmitted }) => isAdmitted)).toHaveLength(7);
    }
    expect(errors).toEqual([]);
  });

  test('shares conversation state, spread over all nodes', async () => {
    const url = `redis://${hosts.join(',')}`;
    const states = await Promise.all(
      [url, url].map((one) => {
        const local = new MemoryConversationState();
        const options = { url: one, local, masterSecret: 'master', maxBytes: 2 ** 28, logger, patience };
        return RedisConversationState.connect(options);
      }),
    );
    opened.push(...states);
    const [a, b] = states.map((state) => state.open(kindOf(1_000_000, { absentMs: 0 })));
    const accounts = Array.from({ length: 40 }, (_, index) => `account-${index}`);
    for (const account of accounts) a?.set(account, 'k', `of ${account}`);
    await until('all values are found', async () => {
      await Promise.all(accounts.map((account) => b?.fetch(account, ['k'])));
      return accounts.every((account) => b?.get(account, 'k') === `of ${account}`);
    });
    for (const node of nodes) expect(Number(await node.run('dbsize'))).toBeGreaterThan(0);
    expect(errors).toEqual([]);
  });

  test('spreads cache entries over all nodes, and announces removals', async () => {
    const url = `redis://${hosts.join(',')}`;
    const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
    const common = { url, settings: TEST_CACHE, masterSecret: 'master', clock, logger, patience };
    const openCache = () => openRedisCache(common);
    const [a, b] = [await openCache(), await openCache()];
    opened.push(a, b);
    const entries = Array.from({ length: 40 }, (_, index) =>
      sampleCacheEntry(`k${index}`, { question: sampleQuestion('p') }),
    );
    for (const entry of entries) a.put(entry);
    expect(await a.list({ limit: 100, before: null, accountId: null })).toHaveLength(40);
    expect(await b.findAll(entries.map(({ key }) => key))).toEqual(entries);
    expect(await b.questions(digestOf('p'), 100)).toHaveLength(40);
    for (const node of nodes) expect(Number(await node.run('dbsize'))).toBeGreaterThan(0);
    for (const entry of entries.slice(0, 10)) await a.invalidate(entry, Date.now() + 3_600_000);
    await until('the invalidated copies are gone', async () => b.statistics().memory.entries === 30);
    // Includes the errors, since the number removed is unknown if Redis is unavailable.
    expect({ cleared: await b.clear(null), errors }).toEqual({ cleared: 30, errors: [] });
    await until('all copies are gone', async () => a.statistics().memory.entries === 0);
    expect(errors).toEqual([]);
  });
});

describe('sentinels', () => {
  test('lead to the server, and to its successor when it dies', async () => {
    const first = await start();
    const second = await start('--replicaof', '127.0.0.1', String(first.port));
    await until('the replica follows', async () =>
      (await second.run('info', 'replication')).includes('link_status:up'),
    );
    const sentinel = await RedisServer.startSentinel(first);
    servers.push(sentinel);
    await until('the sentinel knows both servers', async () => /slaves=1/.test(await sentinel.run('info', 'sentinel')));
    const counters = await open(`redis+sentinel://${sentinel.host}/main`);
    const quota = { windows: [{ scope: '{acme}:requests', limit: 3, windowMs: 600_000, amount: 1 }], places: null };
    expect((await taken(counters, quota)).decisions[0]?.remaining).toBe(2);
    const length = () => second.run('llen', 'switchyard:limits:{acme}:requests');
    await until('the replica has the count', async () => (await length()).trim() === '2');
    await first.kill();
    await until('the other server is used', async () => 'decisions' in (await counters.take(quota)));
    // It has the counts of the first server, plus the request above.
    expect((await taken(counters, quota)).decisions[0]?.remaining).toBe(0);
    expect(errors).toHaveLength(1);
  });
});
