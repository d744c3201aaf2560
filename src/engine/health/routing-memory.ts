import type { Channel } from '../../domain/catalog/channel.ts';
import { SmoothRotation } from '../../domain/routing/smooth-rotation.ts';
import type { Clock } from '../ports/clock.ts';
import type { ChannelReading, HealthSource } from '../ports/health-source.ts';
import type { HealthRow } from '../ports/health-store.ts';
import { ChannelHealth } from './channel-health.ts';

interface Known {
  readonly health: ChannelHealth;
  /** The settings that identify an upstream: if they change, it is another upstream without known health. */
  readonly identity: string;
  readonly resetAtMs: number | null;
}

/** What routing has learned: the health of channels and their rotation. A new configuration keeps it as far as possible. */
export class RoutingMemory implements HealthSource {
  private known = new Map<string, Known>();
  private rotations = new Map<string, SmoothRotation>();
  /** Rows of an earlier process, until their channel is adopted. */
  private restored: ReadonlyMap<string, readonly HealthRow[]> = new Map();

  constructor(
    private readonly clock: Clock,
    private readonly random: () => number,
  ) {}

  /** Takes over the health that an earlier process has stored. Call it before the first `adopt`. */
  restore(rows: readonly HealthRow[]): void {
    this.restored = Map.groupBy(rows, ({ channelId }) => channelId);
  }

  /** Sets the channels in use. Running requests of other channels end undisturbed; their health is then forgotten. */
  adopt(channels: readonly Channel[], { hasSeveralAccounts }: { readonly hasSeveralAccounts: boolean }): void {
    const adopted = new Map<string, Known>();
    const models = new Set<string>();
    for (const channel of channels) {
      const known = this.adoptOne(channel);
      known.health.share(hasSeveralAccounts && channel.owner === null);
      adopted.set(channel.id, known);
      for (const id of Object.keys(channel.models)) models.add(id);
    }
    this.known = adopted;
    this.restored = new Map();
    for (const id of this.rotations.keys()) if (!models.has(id)) this.rotations.delete(id);
  }

  private adoptOne(channel: Channel): Known {
    const before = this.known.get(channel.id);
    const identity = identityOf(channel);
    if (before?.identity !== identity) {
      const health = new ChannelHealth(channel.id, channel.breaker);
      health.block = channel.block;
      if (before === undefined) this.restoreInto(health, channel);
      return { health, identity, resetAtMs: channel.resetAtMs };
    }
    const { health } = before;
    if (before.resetAtMs !== channel.resetAtMs) health.reset();
    health.configure(channel, this.clock.monotonicMs());
    // A block that this process has found and not yet written stays.
    if (channel.block !== null) health.block = channel.block;
    return { health, identity, resetAtMs: channel.resetAtMs };
  }

  private restoreInto(health: ChannelHealth, { id, resetAtMs, models }: Channel): void {
    const served = new Set(Object.values(models));
    for (const row of this.restored.get(id) ?? []) {
      if (!served.has(row.upstreamModel) || row.updatedAtMs < (resetAtMs ?? 0)) continue;
      health.model(row.upstreamModel).restore(row, this.clock.monotonicMs(), this.clock.nowMs());
    }
  }

  /** The health of an adopted channel. */
  health(channelId: string): ChannelHealth {
    const known = this.known.get(channelId);
    if (!known) throw new Error(`the channel ${channelId} was not adopted`);
    return known.health;
  }

  /** The rotation among the channels of a public model. */
  rotation(modelId: string): SmoothRotation {
    let rotation = this.rotations.get(modelId);
    if (!rotation) {
      rotation = new SmoothRotation(this.random);
      this.rotations.set(modelId, rotation);
    }
    return rotation;
  }

  /** The health of what has changed since the last call. */
  takeNews(): readonly HealthRow[] {
    const nowMs = this.clock.monotonicMs();
    const wallMs = this.clock.nowMs();
    const rows: HealthRow[] = [];
    for (const { health } of this.known.values()) {
      for (const model of health.models) {
        if (!model.isNews) continue;
        const row = model.toRow(nowMs, wallMs);
        // An open breaker becomes half-open without any call, when its time is over.
        model.isNews = row.state === 'open';
        rows.push(row);
      }
    }
    return rows;
  }

  *models(): Iterable<ChannelReading> {
    const nowMs = this.clock.monotonicMs();
    for (const { health } of this.known.values()) {
      for (const model of health.models) {
        const { upstreamModel, inFlight } = model;
        yield { channelId: health.channelId, upstreamModel, state: model.stateAt(nowMs), inFlight };
      }
    }
  }

  *channels(): Iterable<{ readonly channelId: string; readonly isUsable: boolean; readonly inFlight: number }> {
    for (const { health } of this.known.values()) {
      yield { channelId: health.channelId, isUsable: health.block === null, inFlight: health.inFlight };
    }
  }
}

function identityOf({ provider, baseUrl, apiKey, settings }: Channel): string {
  return JSON.stringify([provider, baseUrl, apiKey, settings]);
}
