import { Failure } from '../../domain/failure/failure.ts';
import { healthEffectOf } from '../../domain/routing/health-effect.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import type { Clock } from '../ports/clock.ts';
import type { Upstream } from '../ports/upstream.ts';
import type { Directory } from '../shared/directory.ts';
import type { Target } from '../shared/target.ts';
import { testChannel } from './test-channel.ts';

/** One channel is not checked more often: whoever can provoke a 403 could else let the gateway send requests without end. */
const CHECK_EVERY_MS = 60_000;
const CHECK_TIMEOUT_MS = 30_000;

export interface SuspicionPorts {
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly providers: ReadonlyMap<string, ProviderManifest>;
  readonly directory: () => Directory;
  readonly confirmed: (target: Target, reason: string) => void;
}

/**
 * Channels that answered with a 403 that may be about their credentials, or about what one client sent: a prompt that a firewall
 * takes for an attack must not take a channel away from everybody. A small harmless request tells which it is.
 */
export class Suspicions {
  private readonly checkedAtMs = new Map<string, number>();

  constructor(private readonly ports: SuspicionPorts) {}

  async check(target: Target, { message }: Failure): Promise<void> {
    const { clock } = this.ports;
    const { id } = target.channel;
    const nowMs = clock.monotonicMs();
    if (nowMs - (this.checkedAtMs.get(id) ?? Number.NEGATIVE_INFINITY) < CHECK_EVERY_MS) return;
    this.forgetOld(nowMs);
    this.checkedAtMs.set(id, nowMs);
    if (await this.isRefusedAnything(target)) this.ports.confirmed(target, message);
  }

  private async isRefusedAnything({ channel, upstreamModel }: Target): Promise<boolean> {
    const { upstream, clock, providers, directory } = this.ports;
    const manifest = providers.get(channel.provider);
    const modelId = Object.keys(channel.models).find((id) => channel.models[id] === upstreamModel) ?? null;
    if (!manifest || modelId === null) return false;
    const model = directory().model(modelId);
    const models = model === undefined ? [] : [model];
    const input = { channel, manifest, models, modelId, stream: false, totalMs: CHECK_TIMEOUT_MS };
    const test = await testChannel({ upstream, clock }, input);
    // What cannot be asked something harmless has to be believed.
    if (test instanceof Failure) return true;
    const result = test.tries.at(-1)?.result;
    if (!(result instanceof Failure)) return false;
    const effect = healthEffectOf(result);
    return effect === 'suspicion' || effect === 'block';
  }

  private forgetOld(nowMs: number): void {
    for (const [id, atMs] of this.checkedAtMs) if (nowMs - atMs >= CHECK_EVERY_MS) this.checkedAtMs.delete(id);
  }
}
