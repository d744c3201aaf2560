import type { Account } from '../../../domain/access/account.ts';
import { byPriority, type Channel, placeAt, placeOf as placeOfKey } from '../../../domain/catalog/channel.ts';
import { withinBounds } from '../../../domain/catalog/channel-bounds.ts';
import { keyedChannel, keyedChannels } from '../../../domain/catalog/keyed-channel.ts';
import { capWindow, periodName, TOTAL, type UpstreamKey } from '../../../domain/catalog/upstream-key.ts';
import { sumsByPlace } from '../../health/key-spendings.ts';
import { channelScope, type DirectoryScope, type DirectoryStore, SERVING_ONLY } from '../../ports/directory-store.ts';
import type { HealthRow, HealthStore } from '../../ports/health-store.ts';
import type { UpstreamSpendingStore } from '../../ports/upstream-spending-store.ts';
import { notFound } from '../admin-error.ts';
import { limitOf, type Page, type PageRequest, pageOf, placeAfter } from '../page.ts';
import { channelFields } from '../schema/channel.ts';
import { isoTime, managedBy, timeOrNull } from '../view-fields.ts';
import { figuresView, type HealthFigures, type HealthState, keyPreview } from './health-figures.ts';
import { bestOf, keyView, type ListedKey } from './listed-key.ts';

export const CHANNEL_SCOPES = ['platform', 'private'] as const;

export interface ServedModel extends HealthFigures {
  readonly publicId: string;
  readonly upstreamModel: string;
  /** When a gateway last wrote these figures; `null` if none has sent a request there. */
  readonly updatedAtMs: number | null;
}

export interface ListedChannel extends HealthFigures {
  readonly channel: Channel;
  /** The name of the account that owns it; `null` for PLATFORM channels. */
  readonly ownerName: string | null;
  /** The number of its models in `state`, which may be a part of them. */
  readonly affectedModels: number;
  readonly models: readonly ServedModel[];
  /** Whether it has more models than are served. */
  readonly isCut: boolean;
  /** Each of several upstream keys, in the operator's order; absent for a channel with one key. */
  readonly keys?: readonly ListedKey[];
}

/** A channel must meet all given conditions. */
export interface WantedChannels extends PageRequest {
  readonly provider?: string | undefined;
  /** The account of PRIVATE channels. */
  readonly owner?: string | undefined;
  readonly scope?: (typeof CHANNEL_SCOPES)[number] | undefined;
  readonly state?: HealthState['kind'] | undefined;
}

export interface ChannelStores {
  readonly directory: DirectoryStore;
  readonly health: HealthStore;
  readonly upstreamSpending: Pick<UpstreamSpendingStore, 'read'>;
}

/** Returns channels by priority, with the health that the latest running gateway has stored. Throws `AdminError` for an invalid page. */
export async function listChannels(
  stores: ChannelStores,
  nowMs: number,
  request: WantedChannels,
): Promise<Page<ListedChannel>> {
  const page = await lazyChannels(stores, nowMs, request);
  return { ...page, items: page.items.map((listed) => listed()) };
}

/** Returns the same, with each channel built on demand: one with many models takes some MB. */
export async function lazyChannels(
  stores: ChannelStores,
  nowMs: number,
  request: WantedChannels,
): Promise<Page<() => ListedChannel>> {
  const limit = limitOf(request);
  const { channels, accounts } = await stores.directory.read(scopeOf(request));
  const rest = inPage(channels, request);
  const stored = await storedFigures(stores, rest);
  const cut = cutIn(channels);
  const nameOf = namesOf(accounts);
  const listed = (channel: Channel) => listedChannel(channel, { ...stored, cut, nameOf, nowMs });
  const { state } = request;
  const wanted: Channel[] = [];
  for (const channel of rest) {
    if (state === undefined || listed(channel).state.kind === state) wanted.push(channel);
    if (wanted.length > limit) break;
  }
  const page = pageOf(wanted, limit, placeOf);
  return { ...page, items: page.items.map((channel) => () => listed(channel)) };
}

/** Resolves to the ids of a page of channels, in the same order. Throws `AdminError` for an invalid page. */
export async function channelIds(
  directory: Pick<DirectoryStore, 'read'>,
  request: Omit<WantedChannels, 'state'>,
): Promise<Page<string>> {
  const { channels } = await directory.read(scopeOf(request));
  const page = pageOf(inPage(channels, request), limitOf(request), placeOf);
  return { ...page, items: page.items.map(({ id }) => id) };
}

/** Returns the wanted channels from the beginning of the page on, in order. */
function inPage(channels: readonly Channel[], request: WantedChannels): readonly Channel[] {
  const [priority, id = ''] = placeAfter(request, 2) ?? [];
  const last = priority === undefined ? null : { priority: Number(priority), id };
  return channels
    .filter((channel) => isWanted(channel, request) && (last === null || byPriority(last, channel) < 0))
    .sort(byPriority);
}

function placeOf({ priority, id }: Channel): readonly string[] {
  return [String(priority), id];
}

function scopeOf({ owner, scope }: WantedChannels): DirectoryScope {
  if (owner !== undefined) return { serving: false, channelsOf: [owner] };
  return scope === 'platform' ? { serving: false, channelsOf: [null] } : SERVING_ONLY;
}

function isWanted({ provider, owner }: Channel, wanted: WantedChannels): boolean {
  const { scope } = wanted;
  return (
    (wanted.provider === undefined || provider === wanted.provider) &&
    (wanted.owner === undefined || owner === wanted.owner) &&
    (scope === undefined || (owner === null) === (scope === 'platform'))
  );
}

/** Returns the channel with this id. Throws an `AdminError` that names the nearest id if it does not exist. */
export async function showChannel(
  stores: ChannelStores,
  nowMs: number,
  id: string,
  accountId: string | null = null,
): Promise<ListedChannel> {
  const { channels, accounts } = await stores.directory.read(channelScope(id, accountId));
  const channel = findChannel(channels, id, accountId);
  const { owner } = channel;
  const own = owner === null ? [] : (await stores.directory.read({ serving: false, channelsOf: [owner] })).channels;
  const stored = await storedFigures(stores, [channel]);
  return listedChannel(channel, { ...stored, cut: cutIn(own), nameOf: namesOf(accounts), nowMs });
}

/**
 * Resolves to the public models that no channel in use would serve any more if this one were disabled or deleted; none if it is not in use
 * now. Throws `AdminError` if the channel does not exist.
 */
export async function modelsOnlyServedBy(
  directory: Pick<DirectoryStore, 'read'>,
  id: string,
  accountId: string | null,
): Promise<readonly string[]> {
  const { channels } = await directory.read(rivalScope(accountId));
  const channel = findChannel(channels, id, accountId);
  return isInUse(channel) ? modelsOnlyIn(channel, channels) : [];
}

/**
 * Returns the scope of a channel of the account, or any one for an operator (`null`), with all channels that could serve its models to the
 * same accounts.
 */
export function rivalScope(accountId: string | null): DirectoryScope {
  return accountId === null ? SERVING_ONLY : { serving: false, channelsOf: [null, accountId] };
}

/** Returns the public models that no other channel in use (enabled, not blocked) serves to all accounts that could use this one. */
export function modelsOnlyIn(channel: Channel, channels: readonly Channel[]): readonly string[] {
  const others = channels.filter(
    (other) => other.id !== channel.id && isInUse(other) && (other.owner === null || other.owner === channel.owner),
  );
  return Object.keys(channel.models).filter((model) => !others.some((other) => Object.hasOwn(other.models, model)));
}

function isInUse(channel: Channel): boolean {
  return channel.enabled && keyedChannels(channel).some(({ block }) => block === null);
}

function namesOf(accounts: readonly Pick<Account, 'id' | 'name'>[]): Looked['nameOf'] {
  const names = new Map(accounts.map(({ id, name }) => [id, name]));
  return (owner) => (owner === null ? null : (names.get(owner) ?? owner));
}

/** Returns the ids of PRIVATE channels of which not all models are served. `channels` must have all channels of each owner. */
function cutIn(channels: readonly Channel[]): ReadonlySet<string> {
  const byOwner = Map.groupBy(channels, ({ owner }) => owner);
  byOwner.delete(null);
  return new Set([...byOwner.values()].flatMap((own) => withinBounds(own).cut));
}

/** The figures of a page's channels in the stores. */
interface StoredFigures {
  /** The health rows by place and upstream model. */
  readonly rows: ReadonlyMap<string, ReadonlyMap<string, HealthRow>>;
  /** The sums spent with upstream keys, by place and period. */
  readonly spent: ReadonlyMap<string, ReadonlyMap<string, bigint>>;
}

async function storedFigures(
  { health, upstreamSpending }: ChannelStores,
  channels: readonly Channel[],
): Promise<StoredFigures> {
  const rows = new Map<string, Map<string, HealthRow>>();
  for (const row of await health.read(channels.map(({ id }) => id))) {
    const place = placeAt(row.channelId, row.keyId ?? null);
    const known = rows.get(place);
    if (known) known.set(row.upstreamModel, row);
    else rows.set(place, new Map([[row.upstreamModel, row]]));
  }
  const keyed = channels.filter(({ apiKeys }) => apiKeys !== undefined).map(({ id }) => id);
  return { rows, spent: keyed.length === 0 ? new Map() : sumsByPlace(await upstreamSpending.read(keyed)) };
}

/** Returns the channels in the order of the list. */
export function inOrder(channels: readonly Channel[]): readonly Channel[] {
  return channels.toSorted(byPriority);
}

interface Looked extends StoredFigures {
  readonly cut: ReadonlySet<string>;
  /** Returns the name of a channel's owner. */
  readonly nameOf: (owner: string | null) => string | null;
  readonly nowMs: number;
}

function listedChannel(channel: Channel, looked: Looked): ListedChannel {
  const { cut, nameOf } = looked;
  const common = { channel, ownerName: nameOf(channel.owner), isCut: cut.has(channel.id) };
  if (channel.apiKeys === undefined) return { ...common, ...figuresAt(channel, looked) };
  const keys = channel.apiKeys.map((key) => listedKey(channel, key, looked));
  const figures = keys.map((key) => key.figures);
  return { ...common, ...figuresOfAll(channel, figures, looked.nowMs), keys: keys.map(({ listed }) => listed) };
}

/** The figures of one key, or of a channel with one key. */
type PlaceFigures = HealthFigures & Pick<ListedChannel, 'affectedModels' | 'models'>;

function figuresAt(channel: Channel, { rows, nowMs }: Looked): PlaceFigures {
  const own = rows.get(placeOfKey(channel));
  const models = Object.entries(channel.models).map(([publicId, upstreamModel]) => ({
    publicId,
    upstreamModel,
    ...figuresOf(channel, own?.get(upstreamModel) ?? null, nowMs),
  }));
  // Two public ids may use the same upstream model, whose requests must be counted once.
  const distinct = [...new Map(models.map((model) => [model.upstreamModel, model])).values()];
  const state = worstOf([stateOf(channel, null, nowMs), ...models.map((model) => model.state)]);
  return { ...summed(distinct), state, affectedModels: inState(models, state), models };
}

function listedKey(channel: Channel, key: UpstreamKey, looked: Looked) {
  const keyed = keyedChannel(channel, key);
  const figures = figuresAt(keyed.enabled && !key.enabled ? { ...keyed, enabled: false } : keyed, looked);
  const { spendCap } = key;
  const window = spendCap === null ? null : capWindow(spendCap, looked.nowMs);
  const period = spendCap === null ? TOTAL : periodName(spendCap, window);
  const spentNanoUsd = looked.spent.get(placeOfKey(keyed))?.get(period) ?? 0n;
  const resetsAtMs = window?.endsAtMs ?? null;
  const isCapped = spendCap !== null && spentNanoUsd >= spendCap.amountNanoUsd;
  const listed: ListedKey = { ...figures, key, spentNanoUsd, resetsAtMs, isCapped };
  if (!isCapped || figures.state.kind === 'blocked' || figures.state.kind === 'disabled') return { listed, figures };
  // Until the cap's period ends, the key is as good as resting; one on the total waits for an operator.
  const state: HealthState =
    resetsAtMs === null
      ? { kind: 'blocked', block: { atMs: looked.nowMs, reason: `The spend cap of the key ${key.name} is reached.` } }
      : { kind: 'resting', untilMs: resetsAtMs };
  return { listed, figures: { ...figures, state, models: figures.models.map((model) => ({ ...model, state })) } };
}

/** Returns the figures of a channel with several keys: its state is that of its best key, since that one answers. */
function figuresOfAll(channel: Channel, keys: readonly PlaceFigures[], nowMs: number): PlaceFigures {
  const state = channel.enabled ? bestOf(keys.map((key) => key.state)) : stateOf(channel, null, nowMs);
  const models = Object.entries(channel.models).map(([publicId, upstreamModel], at) => {
    const ofKeys = keys.flatMap((key) => key.models[at] ?? []);
    const updatedAtMs = ofKeys.reduce<number | null>((latest, one) => larger(latest, one.updatedAtMs), null);
    const own = channel.enabled ? bestOf(ofKeys.map((one) => one.state)) : state;
    return { publicId, upstreamModel, ...summed(ofKeys), state: own, updatedAtMs };
  });
  return { ...summed(keys), state, affectedModels: inState(models, state), models };
}

function inState(models: readonly HealthFigures[], { kind }: HealthState): number {
  return models.filter(({ state }) => state.kind === kind).length;
}

function summed(all: readonly HealthFigures[]): Omit<HealthFigures, 'state'> {
  return {
    requests: sum(all.map(({ requests }) => requests)),
    failures: sum(all.map(({ failures }) => failures)),
    firstByteMs: meanFirstByteMs(all),
    lastFailure: all.reduce<HealthFigures['lastFailure']>(
      (latest, { lastFailure }) => ((lastFailure?.atMs ?? -1) > (latest?.atMs ?? -1) ? lastFailure : latest),
      null,
    ),
  };
}

function larger(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

function figuresOf(channel: Channel, row: HealthRow | null, nowMs: number) {
  // A row from before the operator's reset still counts its requests, but says nothing about the channel's health.
  const learned = row === null || row.updatedAtMs < (channel.resetAtMs ?? 0) ? null : row;
  const { lastFailure: kind = null, lastFailureAtMs: atMs = null } = learned ?? {};
  return {
    state: stateOf(channel, learned, nowMs),
    requests: row?.requests ?? 0,
    failures: row?.failures ?? 0,
    firstByteMs: row?.firstByteMs ?? null,
    lastFailure: kind === null || atMs === null ? null : { kind, atMs },
    updatedAtMs: row?.updatedAtMs ?? null,
  };
}

function stateOf({ enabled, block }: Channel, row: HealthRow | null, nowMs: number): HealthState {
  if (!enabled) return { kind: 'disabled' };
  if (block !== null) return { kind: 'blocked', block };
  if (row === null || row.state === 'closed') return { kind: 'ready' };
  if (row.state === 'half-open' || row.availableAtMs === null || row.availableAtMs <= nowMs) return { kind: 'probing' };
  return { kind: 'resting', untilMs: row.availableAtMs };
}

/** Returns the worst state. Among several in cooldown, the longest counts, since all are back when it ends. */
function worstOf(states: readonly HealthState[]): HealthState {
  let worst: HealthState = { kind: 'ready' };
  for (const state of states) {
    if (state.kind === 'disabled' || state.kind === 'blocked') return state;
    if (state.kind === 'ready' || (state.kind === 'probing' && worst.kind !== 'ready')) continue;
    if (state.kind === 'resting' && worst.kind === 'resting' && worst.untilMs >= state.untilMs) continue;
    worst = state;
  }
  return worst;
}

/** Returns the average over all models, weighted by their use. */
function meanFirstByteMs(models: readonly HealthFigures[]): number | null {
  const measured = models.filter(({ firstByteMs, requests }) => firstByteMs !== null && requests > 0);
  if (measured.length === 0) return null;
  const total = sum(measured.map(({ firstByteMs, requests }) => (firstByteMs ?? 0) * requests));
  return total / sum(measured.map(({ requests }) => requests));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/**
 * Returns the channel with this id; with an account only among its own, without revealing others. Throws an `AdminError` that names the
 * nearest id if it does not exist.
 */
export function findChannel(channels: readonly Channel[], id: string, accountId: string | null = null): Channel {
  const visible = accountId === null ? channels : channels.filter(({ owner }) => owner === accountId);
  const found = visible.find((channel) => channel.id === id);
  if (found !== undefined) return found;
  throw notFound('channel', id, visible);
}

/** Returns a channel with its learned health as JSON; times are RFC 3339 in UTC. Only the end of its key is shown. */
export function channelView(listed: ListedChannel) {
  const { channel } = listed;
  const { block } = channel;
  const { api_key: _secret, api_keys: _secrets, models: _models, ...fields } = channelFields(channel);
  return {
    ...fields,
    owner_name: listed.ownerName,
    api_key_preview: keyPreview(channel.apiKey),
    api_keys: listed.keys?.map(keyView) ?? null,
    origin: channel.origin,
    managed_by: managedBy(channel.origin),
    enabled: channel.enabled,
    block: block === null ? null : { at: isoTime(block.atMs), reason: block.reason },
    reset_at: timeOrNull(channel.resetAtMs),
    ...figuresView(listed),
    models_left_out: listed.isCut,
    models: listed.models.map((model) => ({
      id: model.publicId,
      upstream_model: model.upstreamModel,
      ...figuresView(model),
      updated_at: timeOrNull(model.updatedAtMs),
    })),
  };
}
