import { type Channel, DEFAULT_TIMEOUTS } from '../../../domain/catalog/channel.ts';
import { DEFAULT_BREAKER } from '../../../domain/routing/breaker-settings.ts';
import type { ProviderManifest } from '../../../providers/manifest.ts';
import { ModelFacts } from '../../directory/model-facts.ts';
import {
  type DirectoryRows,
  type DirectoryStore,
  type DirectoryWriter,
  SERVING_ONLY,
} from '../../ports/directory-store.ts';
import { sameValue } from '../differences.ts';
import { standingOf } from './change-channels.ts';

/** The name of the provider, and of the channel, that answers synthetically inside the process. */
export const SANDBOX = 'sandbox';

/** Returns whether a channel replaces the sandbox, which a built-in channel without text answers does not. */
export function isReal({ provider, origin }: StandingChannel, providers: Providers): boolean {
  if (provider === SANDBOX) return false;
  return origin !== 'environment' || providers.get(provider)?.isBuiltIn !== true;
}

type Providers = ReadonlyMap<string, ProviderManifest>;

/** `origin` is absent for a channel that a configuration will make. */
interface StandingChannel extends Pick<Channel, 'provider'> {
  readonly origin?: Channel['origin'];
}

/** A provider found running on this machine. */
export interface DiscoveredProvider {
  readonly provider: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
}

export interface EnvironmentInput {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly providers: ReadonlyMap<string, ProviderManifest>;
  readonly discovered: readonly DiscoveredProvider[];
  /** The configuration's `sandbox`. If absent or `null`, the sandbox exists only without other enabled channels. */
  readonly sandbox?: boolean | null;
}

export interface SandboxInput {
  readonly providers: ReadonlyMap<string, ProviderManifest>;
  readonly sandbox?: boolean | null;
}

export interface SyncedChannels {
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly unchanged: readonly string[];
  readonly removed: readonly string[];
  /** Offers of the environment that no channel was made from, one sentence each. */
  readonly notices: readonly string[];
}

/**
 * Makes the channels that need no configuration: one for each provider with a key in the environment, one for each discovered server, the
 * built-in ones, and the sandbox, each with all models that it serves. Channels of an earlier start that this one does not find are
 * removed. A channel or model of the configuration or an operator is never touched, and if the configuration has a channel, the environment
 * makes none (design, section 9). Idempotent.
 */
export async function syncEnvironmentChannels(store: DirectoryStore, input: EnvironmentInput): Promise<SyncedChannels> {
  return reconcile(store, input, (rows, notices) =>
    offers(input, new ModelFacts(input.providers, rows.syncedModels), notices),
  );
}

/** Adds or removes only the sandbox channel, as the present channels require. */
export async function syncSandboxChannel(store: DirectoryStore, input: SandboxInput): Promise<SyncedChannels> {
  return reconcile(store, input, currentOffers);
}

type ListOffers = (rows: DirectoryRows, notices: string[]) => readonly Channel[];

async function reconcile(store: DirectoryStore, input: SandboxInput, list: ListOffers): Promise<SyncedChannels> {
  const preview = plan(await store.read(SERVING_ONLY), input, list);
  if (preview.operations.length === 0) return preview.result;
  return store.write(SERVING_ONLY, (writer) => {
    const { operations, result } = plan(writer.read(), input, list);
    for (const operation of operations) operation(writer);
    return result;
  });
}

function plan(rows: DirectoryRows, input: SandboxInput, list: ListOffers) {
  const notices: string[] = [];
  const wanted = wantedOffers(rows, input, list(rows, notices), notices);
  const sorted = {
    created: [] as string[],
    updated: [] as string[],
    unchanged: [] as string[],
    removed: [] as string[],
  };
  const operations: ((writer: DirectoryWriter) => void)[] = [];

  const before = new Map(rows.channels.map((channel) => [channel.id, channel]));
  for (const channel of wanted) {
    const existing = before.get(channel.id);
    if (sameValue(existing, channel)) {
      sorted.unchanged.push(channel.id);
    } else {
      (existing === undefined ? sorted.created : sorted.updated).push(channel.id);
      operations.push((writer) => writer.putChannel(channel));
    }
  }
  const kept = new Set(wanted.map(({ id }) => id));
  for (const channel of rows.channels) {
    if (channel.origin !== 'environment' || kept.has(channel.id)) continue;
    sorted.removed.push(channel.id);
    operations.push((writer) => writer.deleteChannel(channel.id));
  }
  // Earlier versions stored what the catalog says now.
  for (const { id, origin } of rows.models) {
    if (origin === 'environment') operations.push((writer) => writer.deleteModel(id));
  }
  return { operations, result: { ...sorted, notices } };
}

/** Leaves out channels of other origins, keeps an operator's switch and the gateway's block, and decides about the sandbox. */
function wantedOffers(
  rows: DirectoryRows,
  input: SandboxInput,
  offered: readonly Channel[],
  notices: string[],
): readonly Channel[] {
  const existing = new Map(rows.channels.map((channel) => [channel.id, channel]));
  const others = rows.channels.filter((channel) => channel.origin !== 'environment');
  const configured = others.some((channel) => channel.origin === 'config');
  const wanted: Channel[] = [];
  for (const channel of configured ? [] : offered) {
    const before = existing.get(channel.id);
    if (before !== undefined && before.origin !== 'environment') {
      notices.push(`${channel.provider}: the channel "${channel.id}" already exists and is unchanged`);
    } else {
      wanted.push(kept(before, channel));
    }
  }
  const manifest = input.providers.get(SANDBOX);
  if (manifest === undefined || others.some((channel) => channel.id === SANDBOX)) return wanted;
  const alone = ![...others, ...wanted].some((channel) => channel.enabled && isReal(channel, input.providers));
  if (input.sandbox ?? alone) wanted.push(sandboxChannel(manifest, existing.get(SANDBOX)));
  return wanted;
}

function offers(input: EnvironmentInput, modelFacts: ModelFacts, notices: string[]): readonly Channel[] {
  const found = new Map<string, DiscoveredProvider>();
  for (const discovered of input.discovered) {
    if (!found.has(discovered.provider) && discovered.models.length > 0) found.set(discovered.provider, discovered);
  }
  const list: Channel[] = [];
  for (const manifest of input.providers.values()) {
    if (manifest.name === SANDBOX) continue;
    const apiKey = firstKey(manifest, input.environment);
    const running = found.get(manifest.name);
    if (apiKey === null && running === undefined && manifest.isBuiltIn !== true) continue;
    const ids = running?.models ?? modelFacts.modelsOf(manifest.name).map(({ id }) => id);
    const offer = offerOf(manifest, apiKey, running?.baseUrl ?? null, ids, input.environment);
    if (typeof offer === 'string') notices.push(`${manifest.label}: ${offer}`);
    else list.push(offer);
  }
  return list;
}

function firstKey(manifest: ProviderManifest, environment: EnvironmentInput['environment']): string | null {
  const value = (variable: string) => environment[variable]?.trim() || null;
  for (const variable of manifest.keyVariables) {
    const key = value(variable);
    if (key !== null) return key;
  }
  for (const group of manifest.keyVariableGroups ?? []) {
    const parts = group.map((name) => ({ isNeeded: !name.endsWith('?'), value: value(name.replace(/\?$/, '')) }));
    if (parts.every((part) => part.value !== null || !part.isNeeded)) {
      return parts.flatMap((part) => part.value ?? []).join(':');
    }
  }
  return null;
}

/** Returns the settings that customarily are in the environment (a region, a project). */
function settingsIn(environment: EnvironmentInput['environment'], manifest: ProviderManifest): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const [setting, variables] of Object.entries(manifest.settingVariables ?? {})) {
    const name = variables.find((variable) => (environment[variable]?.trim() ?? '') !== '');
    if (name !== undefined) settings[setting] = environment[name]?.trim() ?? '';
  }
  return settings;
}

/** Returns the channel, or why there can be none without a configuration. */
function offerOf(
  manifest: ProviderManifest,
  apiKey: string | null,
  baseUrl: string | null,
  ids: readonly string[],
  environment: EnvironmentInput['environment'],
): Channel | string {
  const settings = manifest.settings?.safeParse(settingsIn(environment, manifest));
  if (settings?.success === false) return 'a key alone is not enough: configure a channel with settings';
  const usualUrl = manifest.baseUrlOf?.(settings?.data ?? {}) ?? manifest.baseUrl;
  if (baseUrl === null && usualUrl === null) return 'a key alone is not enough: configure a channel with base_url';
  if (ids.length === 0) return 'no models are known for it: configure a channel with models';
  return channelOf(manifest, { apiKey, baseUrl, settings: settings?.data ?? {}, ids });
}

function sandboxChannel(manifest: ProviderManifest, before: Channel | undefined): Channel {
  const ids = (manifest.models?.() ?? []).map((model) => model.id);
  return kept(before, channelOf(manifest, { apiKey: null, baseUrl: null, settings: {}, ids }));
}

/** Keeps the priority that an operator has given by ordering channels, since the environment states none. */
function kept(before: Channel | undefined, channel: Channel): Channel {
  return { ...channel, ...standingOf(before, channel), priority: before?.priority ?? channel.priority };
}

interface ChannelFacts extends Pick<Channel, 'apiKey' | 'baseUrl' | 'settings'> {
  readonly ids: readonly string[];
}

function channelOf(manifest: ProviderManifest, { ids, ...facts }: ChannelFacts): Channel {
  return {
    ...facts,
    id: manifest.name,
    name: manifest.label,
    provider: manifest.name,
    formats: null,
    priority: 0,
    weight: 1,
    owner: null,
    timeouts: DEFAULT_TIMEOUTS,
    models: Object.fromEntries(ids.map((id) => [id, id])),
    costs: {},
    breaker: DEFAULT_BREAKER,
    forwardIds: null,
    limits: null,
    queue: null,
    followsProviderLimits: true,
    relaysBatches: false,
    enabled: true,
    block: null,
    resetAtMs: null,
    origin: 'environment',
  };
}

/** Returns the environment's present channels. */
function currentOffers(rows: DirectoryRows): readonly Channel[] {
  return rows.channels.filter(({ origin, id }) => origin === 'environment' && id !== SANDBOX);
}
