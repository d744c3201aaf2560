import { ProcessWorkspace, type ServingProcess } from '../../acceptance/shared/process-workspace.ts';
import { clientKey } from '../first-light/upstream.ts';
import type { ClientFormat } from '../readers/index.ts';
import { CLIENT_FORMATS } from '../routing/client.ts';
import type { CommandResult } from '../shared/workspace.ts';
import { type Behaviour, type MeteredUpstream, startMeteredUpstream } from './metered-upstream.ts';

/** A model of the upstream that behaves so and costs this; it is served in each of the four formats. */
export interface PricedModel extends Behaviour {
  /** As the configuration has it; without one the model has no price. */
  readonly pricing?: object | 'free';
}

export interface BedOptions {
  /** By name; clients ask for `modelOver(format, name)`. */
  readonly models: Readonly<Record<string, PricedModel>>;
  /** Of the configuration; each gets a key of its own name unless it brings keys. */
  readonly accounts: readonly ConfiguredAccount[];
  /** Further channels, made for where the upstream is. */
  readonly channels?: (upstreamOrigin: string) => readonly object[];
  /** Further models of the configuration. */
  readonly pricedModels?: readonly object[];
  /** Of the channels. */
  readonly breaker?: object;
  /** Further sections of the configuration. */
  readonly settings?: object;
  readonly env?: Readonly<Record<string, string>>;
  /** How many gateways are started; each has a data folder of its own, so that several need `DATABASE_URL`. */
  readonly nodes?: number;
  /** How many processes each of them has. */
  readonly workers?: number;
}

export interface ConfiguredAccount {
  readonly id: string;
  readonly billing?: 'prepaid' | 'unlimited';
  readonly balance_usd?: string;
  readonly keys?: readonly object[];
}

/** Gateways in front of a metered upstream, and the commands that look at their books. */
export interface MoneyBed {
  readonly upstream: MeteredUpstream;
  readonly space: ProcessWorkspace;
  readonly env: Readonly<Record<string, string>>;
  readonly nodes: ServingProcess[];
  readonly port: (node?: number) => number;
  /** Starts a gateway on the data folder of the node, instead of the one that has ended. */
  readonly start: (node?: number) => Promise<ServingProcess>;
  /** The gateway ends without a chance to do anything. */
  readonly kill: (node?: number) => Promise<void>;
  readonly run: (...args: string[]) => Promise<CommandResult>;
  readonly stop: () => Promise<void>;
}

const PROVIDER: Readonly<Record<ClientFormat, string>> = {
  'openai-chat': 'openai-compatible',
  'openai-responses': 'openai',
  'anthropic-messages': 'anthropic',
  gemini: 'google',
};

export const modelOver = (format: ClientFormat, name: string) => `${name}-over-${format}`;
export const keyOf = (account: string) => clientKey(`money-${account}`);

export async function startMoneyBed(options: BedOptions): Promise<MoneyBed> {
  const upstream = await startMeteredUpstream(options.models);
  const space = await ProcessWorkspace.create();
  const nodes: ServingProcess[] = [];
  const stop = async () => {
    await space.remove();
    await upstream.stop();
  };
  try {
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', configurationOf(options, upstream.origin));
    const env = { SWITCHYARD_CONFIG, SWITCHYARD_WORKERS: String(options.workers ?? 1), ...options.env };
    const dataOf = (node: number): Record<string, string> =>
      node === 0 ? {} : { SWITCHYARD_DATA: space.path(`data-${node}`) };
    const start = async (node = 0) => {
      const serving = await space.serve({ env: { ...env, ...dataOf(node) } });
      nodes[node] = serving;
      return serving;
    };
    const at = (node: number) => {
      const serving = nodes[node];
      if (serving === undefined) throw new Error(`there is no node ${node}`);
      return serving;
    };
    for (let node = 0; node < (options.nodes ?? 1); node++) await start(node);
    return {
      ...{ upstream, space, env, nodes, start, stop },
      port: (node = 0) => at(node).port,
      kill: async (node = 0) => {
        process.kill(-at(node).pid, 'SIGKILL');
        await at(node).exited;
      },
      run: (...args) => space.run(args, { env }),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function configurationOf(options: BedOptions, origin: string): object {
  const { models, accounts, channels, pricedModels = [], settings, breaker } = options;
  const names = Object.keys(models);
  return {
    ...settings,
    channels: [
      ...CLIENT_FORMATS.map((format) => ({
        ...channelTo(origin, format),
        ...(breaker === undefined ? {} : { breaker }),
        models: Object.fromEntries(names.map((name) => [modelOver(format, name), name])),
      })),
      ...(channels?.(origin) ?? []),
    ],
    models: [
      ...CLIENT_FORMATS.flatMap((format) =>
        Object.entries(models).map(([name, { pricing }]) => ({
          id: modelOver(format, name),
          ...(pricing === undefined ? {} : { pricing }),
        })),
      ),
      ...pricedModels,
    ],
    accounts: accounts.map((account) => ({
      ...{ role: 'VIP', requests_per_minute: 1_000_000_000 },
      keys: [{ id: account.id, name: account.id, secret: keyOf(account.id) }],
      ...account,
    })),
  };
}

/** A channel of the configuration to the upstream, in one format, without its models. */
export function channelTo(origin: string, format: ClientFormat, id: string = format): object {
  return {
    ...{ id, name: id, provider: PROVIDER[format], api_key: 'upstream-key', formats: [format] },
    base_url: `${origin}${format === 'gemini' ? '/v1beta' : '/v1'}`,
  };
}
