import { type RunOptions, Workspace } from './workspace.ts';

/** A channel in the form of the configuration file. */
export interface ConfiguredChannel {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly base_url: string;
  readonly api_key: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Restricts the channel to these formats of the provider. */
  readonly formats?: readonly string[];
  /** In the configuration's names (`first_byte_ms` …). */
  readonly timeouts?: Readonly<Record<string, number>>;
  /** In the configuration's names (`minimum_requests` …). */
  readonly breaker?: Readonly<Record<string, number>>;
  readonly priority?: number;
  /** The account that owns the channel; absent for a shared one. */
  readonly owner?: string;
  /** Public model id → upstream model id. */
  readonly models: Readonly<Record<string, string>>;
}

type Settings = Readonly<Record<string, unknown>>;

export interface GatewayOptions {
  readonly upstreamBaseUrl: string;
  /** Public model id → upstream model id. */
  readonly models: Readonly<Record<string, string>>;
  /** The channel's timeouts, in the configuration's names (`first_byte_ms` …). */
  readonly timeouts?: Readonly<Record<string, number>>;
}

export interface Gateway {
  readonly origin: string;
  /** The base URL for an OpenAI client, ending in `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly channelId: string;
  /** Returns the gateway's log, for a failure's report. */
  readonly output: () => string;
  readonly stop: () => Promise<void>;
}

const OUTPUT_LIMIT_CHARS = 20_000;
const apiKey = 'sk-conformance-0123456789abcdef0123456789abcdef';
/** A management token of the same account. */
export const MANAGEMENT_TOKEN = 'mt-conformance-0123456789abcdef0123456789abcdef';
const channelId = 'replayed';
/** The account of `Gateway.apiKey`. */
export const ACCOUNT_ID = 'conformance';

function replayedChannel({ upstreamBaseUrl, models, timeouts }: GatewayOptions): ConfiguredChannel {
  return {
    id: channelId,
    name: 'Replayed providers',
    provider: 'openai-compatible',
    base_url: upstreamBaseUrl,
    api_key: 'upstream-key',
    ...(timeouts === undefined ? {} : { timeouts }),
    models,
  };
}

function configuration(channels: readonly ConfiguredChannel[], { accounts = [], ...settings }: Settings): object {
  return {
    // Otherwise equal deterministic requests would reach the upstream only once.
    cache: { strategy: 'asked' },
    ...settings,
    channels,
    accounts: [
      {
        id: ACCOUNT_ID,
        name: 'Conformance',
        role: 'VIP',
        billing: 'unlimited',
        requests_per_minute: 1_000_000,
        keys: [{ id: 'conformance', name: 'Conformance', secret: apiKey }],
        management_tokens: [{ id: 'conformance', name: 'Conformance', secret: MANAGEMENT_TOKEN }],
      },
      ...(Array.isArray(accounts) ? accounts : []),
    ],
  };
}

/** Starts a gateway whose only channel is an OpenAI-compatible provider. */
export function startGateway(options: GatewayOptions): Promise<Gateway> {
  return startGatewayWith([replayedChannel(options)]);
}

/**
 * Starts a gateway with a configuration file and an empty data folder. `settings` are further sections of that file, and accounts besides
 * the one with the key; `environment` further variables; `options` further options of its start.
 */
export async function startGatewayWith(
  channels: readonly ConfiguredChannel[],
  settings: Settings = {},
  environment: Readonly<Record<string, string>> = {},
  options: Omit<RunOptions, 'env'> = {},
): Promise<Gateway> {
  const space = await Workspace.create();
  try {
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', configuration(channels, settings));
    const serving = await space.serve({ ...options, env: { SWITCHYARD_CONFIG, ...environment } });
    const { origin, baseUrl } = serving;
    const output = () => (serving.stdout + serving.stderr).slice(-OUTPUT_LIMIT_CHARS);
    return { origin, baseUrl, apiKey, channelId, output, stop: () => space.remove() };
  } catch (error) {
    await space.remove();
    throw error;
  }
}
