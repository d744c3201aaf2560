import {
  type FakeUpstream,
  type ReceivedRequest,
  startUpstream,
  streamedAnswer,
  wholeAnswer,
} from '../../conformance/first-light/upstream.ts';
import type { Serving } from '../../conformance/shared/serving.ts';
import { RedisServer } from '../../src/stores/redis/testing/redis-server.ts';
import { startTestPostgres, type TestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../../src/upstream/testing/self-signed-certificate.ts';
import { ProcessWorkspace } from '../shared/process-workspace.ts';

/* A gateway on PostgreSQL and Redis, whose channels answer, fail, refuse the key, or report absurd usage. */

const SECRET = 'the master secret of the monitored gateway';

/** The key of each account. */
export const keyOf = (account: string) => `sk-monitored-${account}-0123456789abcdef`;
export const OPERATOR_TOKEN = 'mt-monitored-0123456789abcdef0123456789abcdef';

/** Public models, by what their channels do. */
export const MODELS = {
  answers: 'answering-chat',
  failsOver: 'failing-over-chat',
  fails: 'failing-chat',
  refusesKey: 'refusing-chat',
  exaggerates: 'exaggerating-chat',
} as const;

const PRICE = { input_per_1m: '3', output_per_1m: '15' };
const CREDENTIALS = { region: 'eu', access_key_id: 'id', secret_access_key: 'secret' };
const COST = { input_per_1m: '1', output_per_1m: '5' };

function answer(request: ReceivedRequest): Response | Promise<Response> {
  const error = (status: number, message: string) => Response.json({ error: { message } }, { status });
  if (request.model === 'failing') return error(503, 'overloaded');
  if (request.model === 'refusing') return error(401, 'invalid key');
  if (request.model === 'exaggerating') return exaggerated(request);
  return request.stream ? streamedAnswer(request) : wholeAnswer(request);
}

async function exaggerated(request: ReceivedRequest): Promise<Response> {
  const whole = (await wholeAnswer(request).json()) as object;
  return Response.json({ ...whole, usage: { prompt_tokens: 9e8, completion_tokens: 9e8, total_tokens: 18e8 } });
}

/** Takes everything that is sent to it: telemetry, and files of exports. */
function startSink(tls?: { readonly cert: string; readonly key: string }): {
  readonly url: string;
  readonly stop: () => Promise<void>;
} {
  const fetch = () => new Response(null, { headers: { etag: '"1"' } });
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch, ...(tls === undefined ? {} : { tls }) });
  const scheme = tls === undefined ? 'http' : 'https';
  return { url: `${scheme}://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

interface Addresses {
  readonly sink: string;
  /** An address with a certificate, in the place of the gateway's proxy. */
  readonly secure: string;
}

function configuration({ baseUrl }: FakeUpstream, { sink, secure }: Addresses): object {
  const to = (id: string, models: Readonly<Record<string, string>>, more: object = {}) => ({
    ...{ id, provider: 'openai-compatible', base_url: baseUrl, api_key: 'upstream-key', models, ...more },
  });
  const { answers, failsOver, fails, refusesKey, exaggerates } = MODELS;
  return {
    sandbox: true,
    server: { public_url: secure },
    telemetry: {
      ...{ account_metrics: true, otlp: { endpoint: sink } },
      traces: { enabled: true, delay_ms: 500 },
    },
    exports: { targets: [{ id: 'lake', s3: { endpoint: sink, bucket: 'lake', ...CREDENTIALS } }] },
    channels: [
      to('answering', { [answers]: 'answering', [failsOver]: 'answering' }, { costs: { [answers]: COST } }),
      to('failing', { [failsOver]: 'failing', [fails]: 'failing' }, { priority: -1 }),
      to('refusing', { [refusesKey]: 'refusing' }),
      to('exaggerating', { [exaggerates]: 'exaggerating' }),
    ],
    models: Object.values(MODELS).map((id) => ({ id, category: 'chat', pricing: PRICE })),
    accounts: [
      account('acme', { billing: 'prepaid', balance_usd: '100' }),
      account('umbrella', { billing: 'unlimited', management_tokens: [{ id: 'operator', secret: OPERATOR_TOKEN }] }),
      account('poor', { billing: 'prepaid', balance_usd: '0.000001' }),
      account('hasty', { billing: 'unlimited', requests_per_minute: 1 }),
    ],
  };
}

function account(id: string, more: object): object {
  return { id, role: 'VIP', requests_per_minute: 100_000, keys: [{ id: 'main', secret: keyOf(id) }], ...more };
}

/** A running gateway, and what it needs. */
export class GatewayBed {
  private constructor(
    readonly serving: Serving,
    readonly space: ProcessWorkspace,
    private readonly environment: Readonly<Record<string, string>>,
    private readonly ends: readonly (() => Promise<unknown>)[],
  ) {}

  static async start(): Promise<GatewayBed> {
    const ends: (() => Promise<unknown>)[] = [];
    try {
      const postgres: TestPostgres = await startTestPostgres();
      ends.unshift(() => postgres.stop());
      const redis = await RedisServer.start();
      ends.unshift(() => redis.stop());
      const upstream = startUpstream(answer);
      ends.unshift(() => upstream.stop());
      const sink = startSink();
      ends.unshift(() => sink.stop());
      const secure = startSink({ cert: CERTIFICATE, key: CERTIFICATE_KEY });
      ends.unshift(() => secure.stop());
      const space = await ProcessWorkspace.create();
      ends.unshift(() => space.remove());
      const environment = {
        SWITCHYARD_CONFIG: await space.write(
          'switchyard.yaml',
          configuration(upstream, { sink: sink.url, secure: secure.url }),
        ),
        SWITCHYARD_SECRET: SECRET,
        DATABASE_URL: await postgres.createDatabase(),
        REDIS_URL: redis.url,
      };
      return new GatewayBed(await space.serve({ env: environment }), space, environment, ends);
    } catch (error) {
      for (const end of ends) await end();
      throw error;
    }
  }

  /** Runs a command with the environment of the gateway. Throws if it fails. */
  async run(...args: readonly string[]): Promise<void> {
    const { exitCode, stderr } = await this.space.runHere(args, { env: this.environment });
    if (exitCode !== 0) throw new Error(`switchyard ${args.join(' ')}: ${stderr}`);
  }

  async stop(): Promise<void> {
    for (const end of this.ends) await end();
  }
}
