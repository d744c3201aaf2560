import { accountWith, clientKey, keyNamed } from '../../conformance/first-light/upstream.ts';
import { postgresQuery, type Query, sqliteQuery } from '../../conformance/money/books.ts';
import type { Serving } from '../../conformance/shared/serving.ts';
import { type CommandResult, Workspace } from '../../conformance/shared/workspace.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';
import type { HostileProvider, ProviderName } from './hostile-provider.ts';

export const ACCOUNT = 'studio';
export const KEY = clientKey(ACCOUNT);
export const START_USD = '1000';
export const PRICE_OF_SECOND_USD = '0.01';

const ACCOUNT_FIELDS = { billing: 'prepaid', balance_usd: START_USD, requests_per_minute: 1_000_000_000 };
/** The providers fail often, and their breakers must not open. */
const NEVER_OPEN = { minimum_requests: 1_000_000 };
const UPSTREAM_MODEL = 'crash-test';
const POLL_INTERVAL_MS = 100;

/** One model per provider, and one that falls back to the next provider. */
export const modelOf = (provider: ProviderName) => `clip-${provider}`;
export const SHARED_MODEL = 'clip-any';

export interface BedOptions {
  readonly provider: HostileProvider;
  readonly providers: readonly ProviderName[];
  readonly nodes: number;
  /** Whether public files are copied too. */
  readonly rehost: boolean;
  /** The URL of a PostgreSQL database; SQLite if absent. */
  readonly databaseUrl?: string;
}

/** Gateways that are killed and restarted on their data. */
export class CrashBed {
  private readonly nodes: (ServingProcess | null)[] = [];
  private last: { readonly space: Workspace; readonly serving: Serving } | null = null;

  private constructor(
    private readonly space: ProcessWorkspace,
    private readonly env: Readonly<Record<string, string>>,
    readonly query: Query,
    readonly count: number,
  ) {}

  static async start(options: BedOptions): Promise<CrashBed> {
    const { databaseUrl, nodes } = options;
    const space = await ProcessWorkspace.create();
    const env = {
      SWITCHYARD_CONFIG: await space.write('switchyard.yaml', configurationOf(options)),
      LOG_LEVEL: 'error',
      ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl, SWITCHYARD_SECRET: 'shared-0123456789abcdef' }),
    };
    const query = databaseUrl === undefined ? sqliteQuery(space.database) : postgresQuery(databaseUrl);
    const bed = new CrashBed(space, env, query, nodes);
    for (let node = 0; node < nodes; node++) await bed.serve(node);
    return bed;
  }

  /** Returns the origin of a running gateway, preferably the given one, or `null` if none is running. */
  origin(node: number): string | null {
    const living = this.nodes.filter((serving) => serving !== null);
    return (this.nodes[node] ?? living[0] ?? this.last?.serving)?.origin ?? null;
  }

  async serve(node: number): Promise<void> {
    const data: Record<string, string> = node === 0 ? {} : { SWITCHYARD_DATA: this.space.path(`data-${node}`) };
    this.nodes[node] = await this.space.serve({ env: { ...this.env, ...data } });
  }

  /** Starts a gateway on the first node's data in the test's process, where it is not killed. */
  async serveHere(): Promise<void> {
    const space = await Workspace.create();
    const env = { ...this.env, SWITCHYARD_DATA: this.space.data };
    this.last = { space, serving: await space.serve({ env }) };
  }

  /** Kills the gateway in this very turn of the event loop. Resolves when all its processes have ended. */
  kill(node: number): Promise<unknown> {
    const serving = this.nodes[node] ?? null;
    if (serving === null) return Promise.resolve();
    process.kill(-serving.pid, 'SIGKILL');
    this.nodes[node] = null;
    return serving.exited;
  }

  run(...args: string[]): Promise<CommandResult> {
    return this.space.runHere(args, { env: this.env });
  }

  async stop(): Promise<void> {
    await this.last?.space.remove();
    await this.space.remove();
  }
}

function configurationOf({ provider, providers, rehost }: BedOptions): object {
  const models = [...providers.map(modelOf), SHARED_MODEL];
  return {
    media: { allow_http: true, allowed_ranges: ['127.0.0.0/8'] },
    media_store: { kind: 'folder', min_free_bytes: 0 },
    tasks: { poll_interval_ms: POLL_INTERVAL_MS, polls_per_second: 5_000, rehost },
    channels: providers.map((name) => ({
      ...{ id: `${name}-main`, name, provider: name, api_key: 'upstream-key', breaker: NEVER_OPEN },
      base_url: `${provider.origin}/${name}/v1`,
      models: { [modelOf(name)]: UPSTREAM_MODEL, [SHARED_MODEL]: UPSTREAM_MODEL },
    })),
    models: models.map((id) => ({ id, category: 'video', pricing: { per_second: PRICE_OF_SECOND_USD } })),
    accounts: [accountWith(ACCOUNT, [keyNamed(ACCOUNT)], ACCOUNT_FIELDS)],
  };
}
