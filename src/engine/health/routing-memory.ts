import { type Channel, placeAt, placeOf } from '../../domain/catalog/channel.ts';
import type { BreakerState } from '../../domain/routing/circuit-breaker.ts';
import { SmoothRotation } from '../../domain/routing/smooth-rotation.ts';
import type { Clock } from '../ports/clock.ts';
import type {
  ChannelFigureSource,
  ChannelFigures,
  ChannelReading,
  HealthRow,
  HealthSource,
  HealthStore,
  KeyReading,
  StatedReading,
} from '../ports/health-store.ts';
import type { Logger } from '../ports/logger.ts';
import type { SpendingSum } from '../ports/upstream-spending-store.ts';
import { channelFigures } from './channel-figures.ts';
import { ChannelHealth, type ModelHealth } from './channel-health.ts';
import { KeySpendings } from './key-spendings.ts';
import { statedOver } from './stated-readings.ts';

/** The most channels whose changes of breakers are counted. */
const MOST_CHANGED = 10_000;

interface Known {
  readonly health: ChannelHealth;
  /** The settings that identify an upstream. If they change, it is another upstream, with unknown health. */
  readonly identity: string;
  readonly resetAtMs: number | null;
}

/** A channel with the credentials of one of its keys. */
interface Keyed {
  readonly channel: Channel;
  readonly health: ChannelHealth;
}

const BY_STATE: Readonly<Record<BreakerState, number>> = { closed: 0, 'half-open': 1, open: 2 };

/** The channels of one account, or the PLATFORM ones (`null`). */
type ChannelsByOwner = ReadonlyMap<string | null, readonly Channel[]>;

/** The state of routing: the health of channels and their rotation. A new configuration keeps it as far as possible. */
export class RoutingMemory implements HealthSource, ChannelFigureSource {
  /** The health by place: a channel with several keys has one for each. */
  private readonly known = new Map<string, Known>();
  /** The places of the channels in use, by owner. */
  private readonly ids = new Map<string | null, ReadonlySet<string>>();
  /** The rotations by owner and then by public model id; made on first use. */
  private readonly rotations = new Map<string | null, Map<string, SmoothRotation>>();
  /** The ids and models of all PLATFORM channels since the start. */
  private readonly platform = { channels: new Set<string>(), models: new Set<string>() };
  private platformChannels: readonly Channel[] = [];
  /** The changes of breakers by channel and new state, of all channels since the start. */
  private readonly changes = new Map<string, Record<BreakerState, number>>();
  /** Rows of an earlier process, until their channel is adopted. */
  private restored: ReadonlyMap<string, readonly HealthRow[]> = new Map();

  readonly spendings: KeySpendings;

  constructor(
    private readonly clock: Clock,
    private readonly random: () => number,
  ) {
    this.spendings = new KeySpendings(clock);
  }

  /** Restores the health that an earlier process has stored, and the sums spent with upstream keys. Call it before the first `adopt`. */
  restore(rows: readonly HealthRow[], spent: readonly SpendingSum[] = []): void {
    this.restored = Map.groupBy(rows, ({ channelId, keyId }) => placeAt(channelId, keyId ?? null));
    this.spendings.restore(spent);
  }

  /**
   * Sets the channels in use of these owners; those of others stay. The first call has all of them. Requests in flight of channels that are
   * no longer in use finish normally; their health is then forgotten.
   */
  adopt(channels: ChannelsByOwner, { hasSeveralAccounts }: { readonly hasSeveralAccounts: boolean }): void {
    const before = [...channels.keys()].flatMap((owner) => [...(this.ids.get(owner) ?? [])]);
    const adopted = new Set<string>();
    for (const [owner, own] of channels) {
      for (const channel of own) {
        const known = this.adoptOne(channel);
        known.health.spending = this.spendings.of(channel, known.health);
        known.health.keyName = channel.upstreamKey?.name ?? null;
        known.health.share(hasSeveralAccounts && owner === null);
        const place = placeOf(channel);
        this.known.set(place, known);
        adopted.add(place);
      }
      if (own.length === 0) this.ids.delete(owner);
      else this.ids.set(owner, new Set(own.map(placeOf)));
      this.forgetRotations(owner, own);
      if (owner !== null) continue;
      this.platformChannels = own;
      this.notePlatform(own);
    }
    // A channel may have moved from one of these owners to another.
    for (const id of before) if (!adopted.has(id)) this.known.delete(id);
    this.spendings.keepOnly((place) => this.known.has(place));
    this.restored = new Map();
  }

  private notePlatform(channels: readonly Channel[]): void {
    for (const { id, models } of channels) {
      this.platform.channels.add(id);
      for (const model of Object.keys(models)) this.platform.models.add(model);
    }
  }

  private forgetRotations(owner: string | null, channels: readonly Channel[]): void {
    const rotations = this.rotations.get(owner);
    for (const id of rotations?.keys() ?? []) {
      if (!channels.some(({ models }) => Object.hasOwn(models, id))) rotations?.delete(id);
    }
    if (channels.length === 0) this.rotations.delete(owner);
  }

  private adoptOne(channel: Channel): Known {
    const place = placeOf(channel);
    const before = this.known.get(place);
    const identity = identityOf(channel);
    if (before?.identity !== identity) {
      const health = new ChannelHealth(place, channel.breaker);
      health.block = channel.block;
      if (before === undefined) this.restoreInto(health, channel);
      return { health, identity, resetAtMs: channel.resetAtMs };
    }
    const { health } = before;
    if (before.resetAtMs !== channel.resetAtMs) health.reset();
    health.configure(channel, this.clock.monotonicMs());
    // Keeps a block that this process has found but not yet written.
    if (channel.block !== null) health.block = channel.block;
    return { health, identity, resetAtMs: channel.resetAtMs };
  }

  private restoreInto(health: ChannelHealth, channel: Channel): void {
    const { resetAtMs, models } = channel;
    const rows = this.restored.get(placeOf(channel));
    if (rows === undefined) return;
    const served = new Set(Object.values(models));
    for (const row of rows) {
      if (!served.has(row.upstreamModel) || row.updatedAtMs < (resetAtMs ?? 0)) continue;
      health.model(row.upstreamModel).restore(row, this.clock.monotonicMs(), this.clock.nowMs());
    }
  }

  /** Returns the health of an adopted channel. */
  health(place: string): ChannelHealth {
    const known = this.known.get(place);
    if (!known) throw new Error(`the channel ${place} was not adopted`);
    return known.health;
  }

  /** Returns what is left of the rate limits that the provider of a channel has stated; nothing for an unknown channel. */
  *statedBy(channelId: string): Iterable<StatedReading> {
    const only = this.known.get(channelId);
    const keys = only === undefined ? [...this.known.values()] : [only];
    yield* statedOver(
      keys.flatMap(({ health }) => (health.channelId === channelId ? [health] : [])),
      this.clock.monotonicMs(),
    );
  }

  /** Returns the same for all PLATFORM channels. */
  *stated(): Iterable<StatedReading> {
    const nowMs = this.clock.monotonicMs();
    for (const keys of this.platformKeys()) {
      yield* statedOver(
        keys.map(({ health }) => health),
        nowMs,
      );
    }
  }

  /** Returns the rotation among the PLATFORM channels of a public model (`owner` is `null`), or among those of an account. */
  rotation(modelId: string, owner: string | null): SmoothRotation {
    let own = this.rotations.get(owner);
    if (own === undefined) {
      own = new Map();
      this.rotations.set(owner, own);
    }
    let rotation = own.get(modelId);
    if (rotation === undefined) {
      rotation = new SmoothRotation(this.random);
      own.set(modelId, rotation);
    }
    return rotation;
  }

  /** Returns the health of every model that has changed since the last call. */
  takeNews(): readonly HealthRow[] {
    const nowMs = this.clock.monotonicMs();
    const wallMs = this.clock.nowMs();
    const rows: HealthRow[] = [];
    for (const { health } of this.known.values()) {
      for (const model of health.models) {
        if (!model.isNews) continue;
        const row = model.toRow(nowMs, wallMs);
        this.noteChange(model, row);
        // An open breaker becomes half-open by the passage of time, without any call.
        model.isNews = row.state === 'open';
        rows.push(row);
      }
    }
    return rows;
  }

  private noteChange(model: ModelHealth, { channelId, state }: HealthRow): void {
    if (model.toldState === state) return;
    model.toldState = state;
    const changes = this.changes.get(channelId) ?? { closed: 0, 'half-open': 0, open: 0 };
    changes[state]++;
    // The changes of deleted channels stay, as other counters do, but not without a bound.
    if (this.changes.size < MOST_CHANGED || this.changes.has(channelId)) this.changes.set(channelId, changes);
  }

  *transitions(): Iterable<{ readonly channelId: string; readonly state: BreakerState; readonly count: number }> {
    for (const [channelId, changes] of this.changes) {
      for (const state of ['closed', 'half-open', 'open'] as const) yield { channelId, state, count: changes[state] };
    }
  }

  *usableChannels(): Iterable<{ readonly modelId: string; readonly channels: number }> {
    const nowMs = this.clock.monotonicMs();
    const counts = new Map<string, number>();
    for (const { models } of this.platformChannels) {
      for (const modelId of Object.keys(models)) if (!counts.has(modelId)) counts.set(modelId, 0);
    }
    for (const keys of this.platformKeys()) {
      const usable = new Set<string>();
      for (const { channel, health } of keys) {
        for (const [modelId, upstreamModel] of Object.entries(channel.models)) {
          if (!health.isClosedTo(upstreamModel, nowMs)) usable.add(modelId);
        }
      }
      for (const modelId of usable) counts.set(modelId, (counts.get(modelId) ?? 0) + 1);
    }
    for (const [modelId, channels] of counts) yield { modelId, channels };
  }

  *models(): Iterable<ChannelReading> {
    const nowMs = this.clock.monotonicMs();
    for (const keys of this.platformKeys()) {
      const readings = new Map<string, ChannelReading>();
      for (const { health } of keys) {
        for (const model of health.models) {
          const { upstreamModel } = model;
          const state = model.stateAt(nowMs);
          const known = readings.get(upstreamModel);
          const inFlight = model.inFlight + (known?.inFlight ?? 0);
          const isBest = known === undefined || BY_STATE[state] < BY_STATE[known.state];
          readings.set(upstreamModel, {
            ...{ channelId: health.channelId, upstreamModel, inFlight },
            state: isBest ? state : known.state,
          });
        }
      }
      yield* readings.values();
    }
  }

  *channels(): Iterable<{ readonly channelId: string; readonly isUsable: boolean; readonly inFlight: number }> {
    for (const keys of this.platformKeys()) {
      const isUsable = keys.some(({ health }) => health.block === null);
      yield {
        channelId: keys[0]?.channel.id ?? '',
        isUsable,
        inFlight: keys.reduce((sum, { health }) => sum + health.inFlight, 0),
      };
    }
  }

  *keys(): Iterable<KeyReading> {
    const nowMs = this.clock.monotonicMs();
    for (const keys of this.platformKeys()) {
      for (const { channel, health } of keys) {
        if (channel.upstreamKey === undefined) continue;
        const isUsable = health.block === null && !health.isCapped(nowMs);
        const spentRatio = health.spending?.spentRatio ?? null;
        yield { channelId: channel.id, name: channel.upstreamKey.name, isUsable, spentRatio };
      }
    }
  }

  *figures(): Iterable<ChannelFigures> {
    const nowMs = this.clock.monotonicMs();
    for (const keys of this.platformKeys()) {
      const figures = channelFigures(
        keys.map(({ health }) => health),
        nowMs,
      );
      if (figures !== null) yield figures;
    }
  }

  privateInFlight(): number | null {
    const platform = this.ids.get(null);
    if (this.known.size === (platform?.size ?? 0)) return null;
    let inFlight = 0;
    for (const [id, { health }] of this.known) if (platform?.has(id) !== true) inFlight += health.inFlight;
    return inFlight;
  }

  isPlatformChannel(channelId: string): boolean {
    return this.platform.channels.has(channelId);
  }

  isPlatformModel(modelId: string): boolean {
    return this.platform.models.has(modelId);
  }

  /** Returns the PLATFORM channels in use, each with the health of its keys; one entry for a channel with one key. */
  private platformKeys(): readonly Keyed[][] {
    const byId = Map.groupBy(this.platformChannels, ({ id }) => id);
    return [...byId.values()].map((channels) =>
      channels.map((channel) => ({ channel, health: this.health(placeOf(channel)) })),
    );
  }
}

function identityOf({ provider, baseUrl, apiKey, settings }: Channel): string {
  return JSON.stringify([provider, baseUrl, apiKey, settings]);
}

/** Stores the learned health, for operators and for the next process. */
export class HealthRecorder {
  private isBehind = false;

  constructor(
    private readonly memory: RoutingMemory,
    private readonly store: HealthStore,
    private readonly logger: Logger,
  ) {}

  /** Writes what has changed. Call it periodically, and before the store is closed. Never rejects. */
  async record(): Promise<void> {
    const rows = this.memory.takeNews();
    if (rows.length === 0) return;
    try {
      await this.store.write(rows);
      this.isBehind = false;
    } catch (error) {
      // Requests do not need this row, and the model's next row replaces it.
      if (!this.isBehind) this.logger.warn({ reason: String(error) }, 'the health of channels could not be stored');
      this.isBehind = true;
    }
  }
}
