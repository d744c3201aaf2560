import { afterAll, beforeAll, expect, test } from 'bun:test';
import { parse } from 'yaml';
import { BatchClient, chatBody, inputLine } from '../../conformance/batches/client.ts';
import { keyOf, modelOver, openSite, type Site } from '../../conformance/money/bed.ts';
import { Books, nano, postgresQuery } from '../../conformance/money/books.ts';
import { buy, type Receipt, tally } from '../../conformance/money/client.ts';
import { releases } from '../../conformance/releases/release.ts';
import { CLIENT_FORMATS } from '../../conformance/routing/client.ts';
import { until } from '../../conformance/shared/until.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { RedisServer } from '../../src/stores/redis/testing/redis-server.ts';
import { type SharedTestPostgres, sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { type Checkout, checkOut } from '../shared/checkout.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';
import { Balancer, type Target } from './balancer.ts';

const NODES = 3;
const CUSTOMERS = 4;
/** The number of requests that each state of the rolling upgrade serves. */
const REQUESTS_PER_STEP = 40;
/** A hundred times the interval at which the balancer asks. */
const DRAIN_MS = 2_000;
const BATCH_LINES = 100;
const PRICING = { input_per_1m: '1', output_per_1m: '10' };
const COSTS = { quick: nano('0.00006'), slow: nano('0.00018') } as const;
const TIMEOUT_MS = 600_000;

const PREVIOUS = releases().at(-1);
/** Whether the previous version serves new requests after SIGTERM, until the balancer has noticed. */
const PREVIOUS_DRAINS = Bun.semver.order(PREVIOUS?.version ?? '', '1.0.0-rc.1') >= 0;

interface Node {
  readonly serving: ServingProcess;
  readonly target: Target;
}

interface Bought {
  readonly model: keyof typeof COSTS;
  readonly receipt: Receipt;
}

let postgres: SharedTestPostgres;
let redis: RedisServer;
let databaseUrl: string;
let site: Site<ProcessWorkspace>;
let previous: Checkout;
let balancer: Balancer;
/** The configuration with a drain, which the previous version does not know. */
let drainingConfiguration: string;
let isOpen = true;
const bought: Bought[] = [];
/** The requests of a batch, all of the model `slow`. */
const batched: string[] = [];

beforeAll(async () => {
  [postgres, redis, previous] = await Promise.all([
    sharedTestPostgres(),
    RedisServer.start(),
    checkOut(PREVIOUS?.commit ?? ''),
  ]);
  databaseUrl = await postgres.createDatabase();
  site = await openSite(await ProcessWorkspace.create(), {
    models: {
      quick: { words: 3, usage: { input: 30, output: 3 }, pricing: PRICING },
      slow: { words: 15, gapMs: 20, usage: { input: 30, output: 15 }, pricing: PRICING },
    },
    accounts: [
      { id: 'prepaid', balance_usd: '1000' },
      { id: 'unlimited', billing: 'unlimited' },
    ],
    env: {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      SWITCHYARD_SECRET: 'shared-by-all-nodes-0123456789abcdef',
    },
  });
  const configuration = parse(await Bun.file(site.env.SWITCHYARD_CONFIG ?? '').text());
  drainingConfiguration = await site.space.write('draining.yaml', { ...configuration, server: { drain_ms: DRAIN_MS } });
  balancer = new Balancer();
}, TIMEOUT_MS);

afterAll(async () => {
  await balancer?.stop();
  await site?.stop();
  await previous?.remove();
  await redis?.stop();
  await postgres?.dropDatabase(databaseUrl);
}, TIMEOUT_MS);

let folders = 0;

/** Starts a gateway of this version, or of the previous one, with its own data folder. */
async function start(program?: readonly string[]): Promise<Node> {
  folders += 1;
  const config = program === undefined || PREVIOUS_DRAINS ? { SWITCHYARD_CONFIG: drainingConfiguration } : {};
  const env = { ...site.env, ...config, SWITCHYARD_DATA: site.space.path(`data-${folders}`) };
  const serving = await site.space.serve({ env, ...(program && { program }) });
  const target = balancer.add(serving.port);
  await until('the gateway is ready', () => target.isReady);
  return { serving, target };
}

/** Sends one request after another, in all formats, until the test ends them. */
async function buyUntilClosed(customer: number): Promise<void> {
  for (let turn = customer; isOpen; turn++) {
    const format = CLIENT_FORMATS[turn % CLIENT_FORMATS.length] ?? 'openai-chat';
    const model = turn % 3 === 0 ? 'quick' : 'slow';
    const account = turn % 2 === 0 ? 'prepaid' : 'unlimited';
    const purchase = {
      key: keyOf(account),
      model: modelOver(format, model),
      format,
      stream: turn % 5 < 3,
      maxTokens: 20,
    };
    const receipt = await balancer.send((port) => buy({ ...purchase, port }));
    bought.push({ model, receipt });
  }
}

async function beginBatch(port: number): Promise<string> {
  const lines = Array.from({ length: BATCH_LINES }, (_, index) =>
    inputLine(`line-${index}`, '/v1/chat/completions', chatBody(modelOver('openai-chat', 'slow'))),
  );
  return (await new BatchClient(keyOf('prepaid'), () => port).begin('/v1/chat/completions', lines)).id;
}

/** Waits for the end of the batch, whose first node is gone, and adds its lines to what was bought. */
async function expectBatchEnded(port: number, id: string): Promise<void> {
  const client = new BatchClient(keyOf('prepaid'), () => port);
  const batch = await client.ended(id);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { total: BATCH_LINES, completed: BATCH_LINES } });
  for (const { response } of await client.lines(batch.output_file_id)) batched.push(response?.request_id ?? '');
}

async function moreRequests(): Promise<void> {
  const wanted = bought.length + REQUESTS_PER_STEP;
  await until('the gateways have served more requests', () => bought.length >= wanted);
}

/**
 * Replaces a node by one of this version.
 *
 * @param isTakenOut whether the operator takes it out of the balancer first, because its version serves nothing after SIGTERM
 */
async function replace({ serving, target }: Node, isTakenOut: boolean): Promise<Node> {
  target.isTakenOut = isTakenOut;
  // A version that does not drain also resets connections that it has not accepted yet.
  if (isTakenOut) await until('its requests have ended', () => target.inFlight === 0);
  serving.signal('SIGTERM');
  expect(await serving.exited).toBe(0);
  balancer.remove(target);
  const next = await start();
  await moreRequests();
  return next;
}

test(
  'a rolling upgrade refuses no request and charges each exactly once',
  async () => {
    // The first one creates the tables.
    const old = [await start(previous.program)];
    old.push(...(await Promise.all(Array.from({ length: NODES - 1 }, () => start(previous.program)))));
    const customers = Array.from({ length: CUSTOMERS }, (_, customer) => buyUntilClosed(customer));
    try {
      await moreRequests();
      const upgraded = await site.space.run(['migrate'], { env: site.env });
      expect(upgraded).toMatchObject({ exitCode: 0, stderr: '' });
      await moreRequests();
      const replaced: Node[] = [];
      let batch: string | null = null;
      for (const node of old) {
        replaced.push(await replace(node, !PREVIOUS_DRAINS));
        // Older nodes serve beside the first node that has batches.
        batch ??= await beginBatch(replaced[0]?.serving.port ?? 0);
      }
      // This version needs only the signal.
      const [first] = replaced.splice(0, 1);
      if (first !== undefined) replaced.push(await replace(first, false));
      const versions = await postgresQuery(databaseUrl)<{ version: string }>('SELECT version FROM gateway_nodes');
      expect(versions.map(({ version }) => version)).toEqual(replaced.map(() => packageJson.version));
      await expectBatchEnded(replaced[0]?.serving.port ?? 0, batch ?? '');
    } finally {
      isOpen = false;
      await Promise.all(customers);
    }
    await expectTrueBooks();
  },
  TIMEOUT_MS,
);

test(
  'the previous version refuses a database that a newer one has changed, and leaves it alone',
  async () => {
    const url = await postgres.createMigratedDatabase();
    const query = postgresQuery(url);
    await query("INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-next', '')");
    const history = () => query('SELECT name FROM kysely_migration ORDER BY name');
    const env = { SWITCHYARD_SECRET: 'shared-by-all-nodes-0123456789abcdef', DATABASE_URL: url };
    const before = await history();
    const refused = await site.space.run(['serve'], { program: previous.program, env });
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain(`a newer version has changed it (`);
    expect(refused.stderr).toContain('9999-next); start that version, or restore an earlier backup.');
    expect(await history()).toEqual(before);
    await postgres.dropDatabase(url);
  },
  TIMEOUT_MS,
);

async function expectTrueBooks(): Promise<void> {
  expect(tally(bought.map(({ receipt }) => receipt))).toEqual({ '200': bought.length });
  const run = (...args: string[]) => site.space.runHere(args, { env: site.env });
  const books = new Books({ space: site.space, run }, postgresQuery(databaseUrl));
  const owed = new Map(bought.map(({ model, receipt }) => [receipt.requestId, COSTS[model]]));
  for (const requestId of batched) owed.set(requestId, COSTS.slow);
  expect(await books.chargesByRequest()).toEqual(owed);
  await books.untilEachChargeHasItsLine();
  await books.verify();
}
