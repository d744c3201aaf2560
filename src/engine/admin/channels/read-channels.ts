import type { Account } from '../../../domain/access/account.ts';
import { byPriority, type Channel, type ChannelBlock } from '../../../domain/catalog/channel.ts';
import { withinBounds } from '../../../domain/catalog/channel-bounds.ts';
import { channelScope, type DirectoryScope, type DirectoryStore, SERVING_ONLY } from '../../ports/directory-store.ts';
import type { HealthRow, HealthStore } from '../../ports/health-store.ts';
import { notFound } from '../admin-error.ts';
import { limitOf, type Page, type PageRequest, pageOf, placeAfter } from '../page.ts';
import { channelFields, isCredentialsFile } from '../schema/channel.ts';
import { isoTime, managedBy, timeOrNull } from '../view-fields.ts';

export const HEALTH_STATES = ['ready', 'probing', 'resting', 'disabled', 'blocked'] as const;
export const CHANNEL_SCOPES = ['platform', 'private'] as const;

/** `resting` means that it is tried again at `untilMs`, in milliseconds since 1970; `probing`, that a few requests may try it now. */
export type HealthState =
  | { readonly kind: 'ready' }
  | { readonly kind: 'probing' }
  | { readonly kind: 'resting'; readonly untilMs: number }
  | { readonly kind: 'disabled' }
  | { readonly kind: 'blocked'; readonly block: ChannelBlock };

export interface HealthFigures {
  readonly state: HealthState;
  readonly requests: number;
  readonly failures: number;
  readonly firstByteMs: number | null;
  readonly lastFailure: { readonly kind: string; readonly atMs: number } | null;
}

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
}

/** A channel must meet all given conditions. */
export interface WantedChannels extends PageRequest {
  readonly provider?: string | undefined;
  /** The account of PRIVATE channels. */
  readonly owner?: string | undefined;
  readonly scope?: (typeof CHANNEL_SCOPES)[number] | undefined;
  readonly state?: HealthState['kind'] | undefined;
}

interface Stores {
  readonly directory: DirectoryStore;
  readonly health: HealthStore;
}

/** Returns channels by priority, with the health that the latest running gateway has stored. Throws `AdminError` for an invalid page. */
export async function listChannels(
  stores: Stores,
  nowMs: number,
  request: WantedChannels,
): Promise<Page<ListedChannel>> {
  const page = await lazyChannels(stores, nowMs, request);
  return { ...page, items: page.items.map((listed) => listed()) };
}

/** Returns the same, with each channel built on demand: one with many models takes some MB. */
export async function lazyChannels(
  stores: Stores,
  nowMs: number,
  request: WantedChannels,
): Promise<Page<() => ListedChannel>> {
  const limit = limitOf(request);
  const { channels, accounts } = await stores.directory.read(scopeOf(request));
  const rest = inPage(channels, request);
  const rows = await healthRows(stores, rest);
  const cut = cutIn(channels);
  const nameOf = namesOf(accounts);
  const listed = (channel: Channel) => listedChannel(channel, { rows, cut, nameOf, nowMs });
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
  stores: Stores,
  nowMs: number,
  id: string,
  accountId: string | null = null,
): Promise<ListedChannel> {
  const { channels, accounts } = await stores.directory.read(channelScope(id, accountId));
  const channel = findChannel(channels, id, accountId);
  const { owner } = channel;
  const own = owner === null ? [] : (await stores.directory.read({ serving: false, channelsOf: [owner] })).channels;
  const rows = await healthRows(stores, [channel]);
  return listedChannel(channel, { rows, cut: cutIn(own), nameOf: namesOf(accounts), nowMs });
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

function isInUse({ enabled, block }: Channel): boolean {
  return enabled && block === null;
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

/** Resolves to the health rows by channel and upstream model. */
async function healthRows(
  { health }: Stores,
  channels: readonly Channel[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, HealthRow>>> {
  const rows = new Map<string, Map<string, HealthRow>>();
  for (const row of await health.read(channels.map(({ id }) => id))) {
    const known = rows.get(row.channelId);
    if (known) known.set(row.upstreamModel, row);
    else rows.set(row.channelId, new Map([[row.upstreamModel, row]]));
  }
  return rows;
}

/** Returns the channels in the order of the list. */
export function inOrder(channels: readonly Channel[]): readonly Channel[] {
  return channels.toSorted(byPriority);
}

interface Looked {
  /** The health rows by channel and upstream model. */
  readonly rows: ReadonlyMap<string, ReadonlyMap<string, HealthRow>>;
  readonly cut: ReadonlySet<string>;
  /** Returns the name of a channel's owner. */
  readonly nameOf: (owner: string | null) => string | null;
  readonly nowMs: number;
}

function listedChannel(channel: Channel, { rows, cut, nameOf, nowMs }: Looked): ListedChannel {
  const own = rows.get(channel.id);
  const models = Object.entries(channel.models).map(([publicId, upstreamModel]) => ({
    publicId,
    upstreamModel,
    ...figuresOf(channel, own?.get(upstreamModel) ?? null, nowMs),
  }));
  // Two public ids may use the same upstream model, whose requests must be counted once.
  const distinct = [...new Map(models.map((model) => [model.upstreamModel, model])).values()];
  const state = worstOf([stateOf(channel, null, nowMs), ...models.map((model) => model.state)]);
  return {
    channel,
    ownerName: nameOf(channel.owner),
    state,
    affectedModels: models.filter((model) => model.state.kind === state.kind).length,
    requests: sum(distinct.map(({ requests }) => requests)),
    failures: sum(distinct.map(({ failures }) => failures)),
    firstByteMs: meanFirstByteMs(distinct),
    lastFailure: distinct.reduce<HealthFigures['lastFailure']>(
      (latest, { lastFailure }) => ((lastFailure?.atMs ?? -1) > (latest?.atMs ?? -1) ? lastFailure : latest),
      null,
    ),
    models,
    isCut: cut.has(channel.id),
  };
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
  const { api_key: _secret, models: _models, ...fields } = channelFields(channel);
  return {
    ...fields,
    owner_name: listed.ownerName,
    api_key_preview: keyPreview(channel),
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

function figuresView({ state, requests, failures, firstByteMs, lastFailure }: HealthFigures) {
  return {
    state: state.kind,
    resting_until: state.kind === 'resting' ? isoTime(state.untilMs) : null,
    requests,
    failures,
    first_byte_ms: firstByteMs === null ? null : Math.round(firstByteMs),
    last_failure: lastFailure?.kind ?? null,
    last_failure_at: timeOrNull(lastFailure?.atMs ?? null),
  };
}

/** Shorter keys show no characters at all. */
const SHOWN_OF_LENGTH = 20;

export function keyPreview({ apiKey }: Channel): string | null {
  if (apiKey === null) return null;
  // The end of a credentials file is meaningless, or part of a secret.
  if (isCredentialsFile(apiKey)) return '{…}';
  return apiKey.length < SHOWN_OF_LENGTH ? '…' : `…${apiKey.slice(-4)}`;
}
