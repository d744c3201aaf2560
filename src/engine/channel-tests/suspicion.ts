import { servesChat } from '../../domain/catalog/model-operation.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { healthEffectOf } from '../../domain/routing/health-effect.ts';
import { entryOf } from '../../formats/shared/json/record.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import type { Directory } from '../directory/directory.ts';
import type { AskedTarget } from '../directory/target.ts';
import type { Clock } from '../ports/clock.ts';
import type { Upstream } from '../ports/upstream.ts';
import { testChannel } from './test-channel.ts';

/**
 * The shortest time between checks of one channel: otherwise a client that can provoke a 403 could cause any number of requests.
 */
const CHECK_EVERY_MS = 60_000;
const CHECK_TIMEOUT_MS = 30_000;
const MOST_ASKED = 3;

export interface SuspicionPorts {
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly providers: ReadonlyMap<string, ProviderManifest>;
  readonly directory: () => Directory;
  readonly confirmed: (target: AskedTarget, reason: string) => void;
}

/**
 * Channels whose provider refused a request as if the credentials were at fault. The cause may be the credentials, one model, or
 * a firewall that dislikes one prompt; only the first may block the channel. Therefore a small harmless request for each of some
 * other models must be refused, too, before the channel is blocked.
 */
export class Suspicions {
  private readonly checkedAtMs = new Map<string, number>();

  constructor(private readonly ports: SuspicionPorts) {}

  /** Checks the channel. Confirms synchronously if there is no model whose test could contradict the suspicion. */
  check(target: AskedTarget, failure: Failure): void {
    const others = this.othersThan(target);
    // On a channel that several accounts use, even a clear message about the credentials may be caused by one account's
    // request.
    const isCertain = healthEffectOf(failure) === 'refusal' && !target.health.breaker.isShared;
    const asked =
      others.length > 0 || isCertain ? others : modelsOf(target, (upstream) => upstream === target.upstreamModel);
    // A key may be valid for chat but not for an API for files, so such a refusal proves nothing.
    if (asked.length === 0 && target.upstreamModel === null) return;
    if (asked.length === 0) {
      this.ports.confirmed(target, failure.message);
      return;
    }
    if (this.wasChecked(target)) return;
    void this.isContradicted(target, asked).then((isContradicted) => {
      if (!isContradicted) this.ports.confirmed(target, failure.message);
    });
  }

  /** Returns the public ids of at most 3 other chat models of the channel; those that answered most recently come first. */
  private othersThan(target: AskedTarget): readonly string[] {
    const { channel, health, upstreamModel } = target;
    const answeredAtMs = (id: string) => health.channel.model(entryOf(channel.models, id) ?? id).answeredAtMs;
    return modelsOf(target, (upstream) => upstream !== upstreamModel)
      .filter((id) => servesChat(this.ports.directory().modelOf(id, channel)))
      .sort((left, right) => compare(answeredAtMs(right), answeredAtMs(left)))
      .slice(0, MOST_ASKED);
  }

  private async isContradicted({ channel }: AskedTarget, modelIds: readonly string[]): Promise<boolean> {
    const { upstream, clock, providers, directory } = this.ports;
    const manifest = providers.get(channel.provider);
    if (!manifest) return false;
    for (const modelId of modelIds) {
      const modelOf = (id: string) => directory().modelOf(id, channel);
      const { modelFacts } = directory();
      const input = { channel, manifest, modelOf, modelFacts, modelId, stream: false, totalMs: CHECK_TIMEOUT_MS };
      const test = await testChannel({ upstream, clock }, input);
      if (!(test instanceof Failure) && test.tries.some(({ status }) => acceptsCredentials(status))) return true;
    }
    return false;
  }

  private wasChecked({ place }: AskedTarget): boolean {
    const nowMs = this.ports.clock.monotonicMs();
    for (const [id, atMs] of this.checkedAtMs) if (nowMs - atMs >= CHECK_EVERY_MS) this.checkedAtMs.delete(id);
    if (this.checkedAtMs.has(place)) return true;
    this.checkedAtMs.set(place, nowMs);
    return false;
  }
}

/**
 * Returns whether the upstream has accepted the credentials. A server that answers or rejects the content of a request has; one that fails
 * may not have checked them.
 */
function acceptsCredentials(status: number | null): boolean {
  return status !== null && status < 500 && status !== 401 && status !== 403;
}

function modelsOf({ channel }: AskedTarget, isWanted: (upstreamModel: string) => boolean): readonly string[] {
  return Object.keys(channel.models).filter((id) => isWanted(entryOf(channel.models, id) ?? id));
}

/**
 * Compares two times. Models that have never answered have minus infinity, and the difference of two of them would be
 * NaN.
 */
function compare(left: number, right: number): number {
  return left === right ? 0 : left - right;
}
