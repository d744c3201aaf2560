import { type RunOptions, Workspace } from './workspace.ts';

/** A channel as the configuration file has it. */
export interface ConfiguredChannel {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly base_url: string;
  readonly api_key: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Only these of the provider's formats. */
  readonly formats?: readonly string[];
  /** In the configuration's own names (`first_byte_ms` …). */
  readonly timeouts?: Readonly<Record<string, number>>;
  /** In the configuration's own names (`minimum_requests` …). */
  readonly breaker?: Readonly<Record<string, number>>;
  readonly priority?: number;
  /** The account whose own channel it is; absent for one that all share. */
  readonly owner?: string;
  /** Public model id → upstream model id. */
  readonly models: Readonly<Record<string, string>>;
}

type Settings = Readonly<Record<string, unknown>>;

export interface GatewayOptions {
  readonly upstreamBaseUrl: string;
  /** Public model id → upstream model id. */
  readonly models: Readonly<Record<string, string>>;
  /** The channel's timeouts, in the configuration's own names (`first_byte_ms` …). */
  readonly timeouts?: Readonly<Record<string, number>>;
}

export interface Gateway {
  readonly origin: string;
  /** The base URL for an OpenAI client, ending in `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly channelId: string;
  /** What the gateway has logged, for a failure's report. */
  readonly output: () => string;
  readonly stop: () => Promise<void>;
}

const OUTPUT_LIMIT_CHARS = 20_000;
const apiKey = 'sk-conformance-0123456789abcdef0123456789abcdef';
/** A management token of the same account. */
export const MANAGEMENT_TOKEN = 'mt-conformance-0123456789abcdef0123456789abcdef';
const channelId = 'replayed';
/** Whose key `Gateway.apiKey` is. */
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
    // Equal requests that are deterministic by their own words would else reach the upstream once.
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

/** A gateway whose only channel is an OpenAI-compatible provider. */
export function startGateway(options: GatewayOptions): Promise<Gateway> {
  return startGatewayWith([replayedChannel(options)]);
}

/**
 * Starts a gateway with a configuration file and an empty data folder. `settings` are further sections of that file, and accounts
 * beside the one that has the key; `environment` further variables; `options` what else its start takes.
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
