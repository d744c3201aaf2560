import { keyOf } from '../../conformance/money/bed.ts';
import { nano } from '../../conformance/money/books.ts';
import { Gate } from '../../conformance/money/gate.ts';
import { RedisServer } from '../../src/stores/redis/testing/redis-server.ts';
import { sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { type ProcessBed, startProcessBed } from '../money/bed.ts';
import { TcpProxy } from '../shared/tcp-proxy.ts';
import { NODES } from './plan.ts';

/** The requests per minute that the account `limited` may make. */
export const REQUESTS_PER_MINUTE = 60;
/** The balance of the account `poor`, in USD. */
export const POOR_USD = '0.004';

const PRICING = { input_per_1m: '1', output_per_1m: '10' };
const INPUT = 30;

/** The price of one response of each model, in nano-USD. */
export const COSTS = {
  quick: nano('0.00006'),
  slow: nano('0.00018'),
  fixed: nano('0.0005'),
  failing: 0n,
} as const;
export type ModelName = keyof typeof COSTS;

export const ACCOUNTS = ['prepaid', 'poor', 'unlimited', 'limited', 'keyed', 'budgeted'] as const;
export type AccountName = (typeof ACCOUNTS)[number];

export interface ChaosSite {
  readonly bed: ProcessBed;
  readonly databaseUrl: string;
  readonly redis: RedisServer;
  /** One proxy per gateway, between it and the database. */
  readonly databases: readonly TcpProxy[];
  /** While it is closed, providers do not respond. */
  readonly providers: Gate;
  readonly stop: () => Promise<void>;
}

/** Starts three gateways on one PostgreSQL and one Redis, in front of a provider with known token counts. */
export async function openChaosSite(): Promise<ChaosSite> {
  const postgres = await sharedTestPostgres();
  const databaseUrl = await postgres.createDatabase();
  const redis = await RedisServer.start();
  const address = new URL(databaseUrl);
  const databases = await Promise.all(Array.from({ length: NODES }, () => TcpProxy.open(Number(address.port))));
  const through = (proxy: TcpProxy) => {
    const url = new URL(databaseUrl);
    url.port = String(proxy.port);
    return url.href;
  };
  const providers = new Gate();
  const closeAll = async () => {
    for (const proxy of databases) proxy.close();
    await redis.stop();
    await postgres.dropDatabase(databaseUrl);
  };
  try {
    const bed = await startProcessBed({
      models: modelsBehind(providers),
      accounts: configuredAccounts(),
      breaker: { minimum_requests: 1_000_000 },
      nodes: NODES,
      env: {
        DATABASE_URL: databaseUrl,
        REDIS_URL: redis.url,
        SWITCHYARD_SECRET: 'shared-by-all-nodes-0123456789abcdef',
      },
      envOf: (node) => ({ DATABASE_URL: through(databases[node]!) }),
    });
    const stop = async () => {
      for (const proxy of databases) proxy.release();
      await bed.stop();
      await closeAll();
    };
    return { bed, databaseUrl, redis, databases, providers, stop };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

function modelsBehind(providers: Gate) {
  const opens = providers.pass;
  return {
    quick: { words: 3, usage: { input: INPUT, output: 3 }, pricing: PRICING, opens },
    slow: { words: 15, gapMs: 20, usage: { input: INPUT, output: 15 }, pricing: PRICING, opens },
    fixed: { words: 2, usage: { input: INPUT, output: 2 }, pricing: { per_request: '0.0005' }, opens },
    failing: { words: 0, usage: null, refuses: 500, pricing: PRICING, opens },
  };
}

function configuredAccounts() {
  const rich = { balance_usd: '1000' };
  const keyWith = (id: string, fields: object) => [{ id, name: id, secret: keyOf(id), ...fields }];
  return [
    { id: 'prepaid', ...rich },
    { id: 'poor', balance_usd: POOR_USD },
    { id: 'unlimited', billing: 'unlimited' as const },
    { id: 'limited', ...rich, requests_per_minute: REQUESTS_PER_MINUTE },
    { id: 'keyed', ...rich, keys: keyWith('keyed', { limit_usd: '500' }) },
    {
      ...{ id: 'budgeted', ...rich, budget: { usd: '500', per: 'month' } },
      keys: keyWith('budgeted', { budget: { usd: '400', per: 'day' } }),
    },
  ];
}
