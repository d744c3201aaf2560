import { Failure } from '../../domain/failure/failure.ts';
import { healthEffectOf } from '../../domain/routing/health-effect.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import type { Directory } from '../directory/directory.ts';
import type { AskedTarget } from '../directory/target.ts';
import type { ModelHealth } from '../health/channel-health.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Upstream } from '../ports/upstream.ts';
import { testChannel } from './test-channel.ts';

/** The shortest time between probes of one channel's model, since clients can cause probes by making requests fail. */
const PROBE_EVERY_MS = 60_000;
/** Limits for all channels together: the number of probes within that time, and at once. */
const MOST_PROBES = 60;
const MOST_AT_ONCE = 8;
const LONGEST_PROBE_MS = 30_000;

export interface ProbePorts {
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly providers: ReadonlyMap<string, ProviderManifest>;
  readonly directory: () => Directory;
}

/**
 * Finds out whether a channel fails for all accounts when the requests of one account fail, by sending a small harmless request of the
 * gateway for the same model. If that fails too, the channel's breaker opens for all accounts (docs/routing.md).
 */
export class ChannelProbes {
  private readonly probedAtMs = new Map<ModelHealth, number>();
  private running = 0;

  constructor(private readonly ports: ProbePorts) {}

  /** Starts a probe in the background, unless the limits above are reached. Never throws. */
  probe(target: AskedTarget, stream: boolean): void {
    if (!this.mayProbe(target.health)) return;
    this.running++;
    this.run(target, stream)
      .catch((error) => {
        const { id: channelId } = target.channel;
        this.ports.logger.error({ channelId, error: String(error) }, 'a probe of a channel could not be made');
      })
      .finally(() => this.running--);
  }

  private async run(target: AskedTarget, stream: boolean): Promise<void> {
    const { upstream, clock, logger, providers, directory } = this.ports;
    const { channel, upstreamModel, health } = target;
    // Another endpoint of the model has its own health. This probe generates text, which says nothing about that
    // endpoint.
    if (upstreamModel === null || health !== health.channel.model(upstreamModel)) return;
    const manifest = providers.get(channel.provider);
    const modelId = Object.keys(channel.models).find((id) => channel.models[id] === upstreamModel);
    if (!manifest || modelId === undefined) return;
    const modelOf = (id: string) => directory().modelOf(id, channel);
    const totalMs = Math.min(LONGEST_PROBE_MS, channel.timeouts.totalMs);
    const { modelFacts } = directory();
    const input = { channel, manifest, modelOf, modelFacts, modelId, stream, totalMs };
    const test = await testChannel({ upstream, clock }, input);
    if (test instanceof Failure) return;
    const result = test.tries.at(-1)?.result;
    if (result instanceof Failure) {
      if (healthEffectOf(result) === 'none') return;
      logger.warn(
        { channelId: channel.id, upstreamModel, failureKind: result.kind },
        'a channel fails for all accounts',
      );
      health.breaker.confirmed(clock.monotonicMs());
    } else if (result !== undefined) health.breaker.refuted(clock.monotonicMs());
    health.isNews = true;
  }

  private mayProbe(health: ModelHealth): boolean {
    const nowMs = this.ports.clock.monotonicMs();
    // A map keeps the order of insertion, so the oldest come first.
    for (const [known, atMs] of this.probedAtMs) {
      if (nowMs - atMs < PROBE_EVERY_MS) break;
      this.probedAtMs.delete(known);
    }
    if (this.probedAtMs.has(health) || this.probedAtMs.size >= MOST_PROBES || this.running >= MOST_AT_ONCE)
      return false;
    this.probedAtMs.set(health, nowMs);
    return true;
  }
}
