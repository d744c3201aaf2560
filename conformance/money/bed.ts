import type { Clock } from '../../src/engine/ports/clock.ts';
import { clientKey } from '../first-light/upstream.ts';
import type { ClientFormat } from '../readers/index.ts';
import { CLIENT_FORMATS } from '../routing/client.ts';
import type { Serving } from '../shared/serving.ts';
import { type CommandResult, Workspace } from '../shared/workspace.ts';
import { type Behaviour, type MeteredUpstream, startMeteredUpstream } from './metered-upstream.ts';

/** An upstream model with its behaviour and price; it is served in each of the four formats. */
export interface PricedModel extends Behaviour {
  /** The price in the configuration; without it the model has none. */
  readonly pricing?: object | 'free';
}

export interface BedOptions {
  /** Keyed by name; clients request `modelOver(format, name)`. */
  readonly models: Readonly<Record<string, PricedModel>>;
  /** Accounts of the configuration; each gets a key with its own name unless it has keys. */
  readonly accounts: readonly ConfiguredAccount[];
  /** Further channels, made from the upstream's address. */
  readonly channels?: (upstreamOrigin: string) => readonly object[];
  /** Further models of the configuration. */
  readonly pricedModels?: readonly object[];
  /** The breaker of the channels. */
  readonly breaker?: object;
  /** Further sections of the configuration. */
  readonly settings?: object;
  readonly env?: Readonly<Record<string, string>>;
}

export interface ConfiguredAccount {
  readonly id: string;
  readonly billing?: 'prepaid' | 'unlimited';
  readonly balance_usd?: string;
  readonly requests_per_minute?: number;
  readonly budget?: object;
  readonly guards?: readonly string[];
  readonly keys?: readonly object[];
}

/** One or more gateways in front of a metered upstream, and the commands that read their books. */
export interface MoneyBed {
  readonly upstream: MeteredUpstream;
  readonly space: Workspace;
  readonly env: Readonly<Record<string, string>>;
  readonly port: (node?: number) => number;
  /** Runs a command of the command line in the test's process. */
  readonly run: (...args: string[]) => Promise<CommandResult>;
  readonly stop: () => Promise<void>;
}

/** The workspace of a bed's gateways, and their environment. */
export interface Site<Space extends Workspace> {
  readonly upstream: MeteredUpstream;
  readonly space: Space;
  readonly env: Readonly<Record<string, string>>;
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

/** Starts one gateway in the test's process. */
export async function startMoneyBed(options: BedOptions & { readonly clock?: Clock }): Promise<MoneyBed> {
  const { upstream, space, env, stop } = await openSite(await Workspace.create(), options);
  const serving: Serving = await space
    .serve({ env, ...(options.clock && { clock: options.clock }) })
    .catch(async (error) => {
      await stop();
      throw error;
    });
  return { upstream, space, env, stop, port: () => serving.port, run: (...args) => space.run(args, { env }) };
}

/** Starts the upstream, and writes the configuration into the workspace. */
export async function openSite<Space extends Workspace>(space: Space, options: BedOptions): Promise<Site<Space>> {
  const upstream = await startMeteredUpstream(options.models);
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', configurationOf(options, upstream.origin));
  const stop = async () => {
    await space.remove();
    await upstream.stop();
  };
  return { upstream, space, env: { SWITCHYARD_CONFIG, ...options.env }, stop };
}

function configurationOf(options: BedOptions, origin: string): object {
  const { models, accounts, channels, pricedModels = [], settings, breaker } = options;
  const names = Object.keys(models);
  return {
    ...settings,
    channels: [
      ...CLIENT_FORMATS.map((format) => ({
        ...channelTo(origin, format),
        // The usual three seconds may pass in a process that also is the client and the upstream.
        timeouts: { connect_ms: 600_000 },
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
