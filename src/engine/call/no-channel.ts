import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { Directory } from '../directory/directory.ts';
import type { Target } from '../directory/target.ts';
import type { Alternatives } from './alternatives.ts';

/** When channels that only an operator can bring back are worth another look. */
const BLOCKED_RETRY_MS = 60_000;
/** A channel that has just failed and may still be asked. */
const SOONEST_RETRY_MS = 1_000;

/** Why there is no answer. */
export interface NoAnswer {
  /** The latest failure that says something to the client; `null` where nothing was tried. */
  readonly failure: Failure | null;
  /** The bound on attempts or on time ended it, with targets left. */
  readonly wasCutShort: boolean;
}

export interface NoChannelInput {
  readonly directory: Directory;
  readonly principal: Principal;
  readonly modelId: string;
  /** All that the account may use for the model, whatever their health. */
  readonly targets: readonly Target[];
  readonly alternatives: Alternatives;
  readonly nowMs: number;
}

/**
 * What the client gets when no target has answered (docs/routing.md). The only channel's failure is the client's to see, and
 * so is one after which others were left untried; else it is that all channels failed.
 */
export function withoutAnswer({ failure, wasCutShort }: NoAnswer, input: NoChannelInput): Failure {
  if (failure === null) return restOfTheOnlyOne(input) ?? allChannelsFailed(null, input);
  if (failure.retry === 'never' || wasCutShort) return failure;
  if (failure.kind === 'loss_refused') {
    // One that rests may carry what the others cannot.
    return input.targets.every(({ health }) => health.admits(accountIdOf(input), input.nowMs))
      ? failure
      : allChannelsFailed(null, input);
  }
  const channels = new Set(input.targets.map(({ channel }) => channel.id));
  if (failure.side === 'client' || channels.size === 1) return failure;
  return allChannelsFailed(failure, input);
}

/** Where the only channel's upstream has asked to be left alone, its words and the time that is left say more than ours. */
function restOfTheOnlyOne(input: NoChannelInput): Failure | null {
  const { targets, nowMs } = input;
  const accountId = accountIdOf(input);
  const [only] = targets;
  if (targets.length !== 1 || !only || only.health.channel.block !== null) return null;
  const restedBy = only.health.breaker.restedBy(accountId, nowMs);
  if (restedBy === null) return null;
  return new Failure(restedBy.code, {
    ...restedBy.details,
    retryAfterMs: only.health.availableAtMs(accountId, nowMs) - nowMs,
  });
}

function accountIdOf({ principal }: NoChannelInput): string {
  return principal.account.id;
}

function allChannelsFailed(last: Failure | null, input: NoChannelInput): Failure {
  const { modelId, directory, principal, nowMs } = input;
  const alternatives = input.alternatives.to(modelId, directory, principal, nowMs);
  const [best] = alternatives;
  return new Failure('all_channels_failed', {
    message: messageOf(last, input),
    kind: last === null ? 'no_channel_available' : 'all_channels_failed',
    retryAfterMs: retryAfterMs(input),
    hint: best
      ? `Wait for retry_after seconds and send the request again, or use another model such as \`${best.id}\`.`
      : 'Wait for retry_after seconds and send the request again.',
    alternatives,
  });
}

function messageOf(last: Failure | null, { modelId, targets }: NoChannelInput): string {
  const model = `the model \`${modelId}\``;
  if (last !== null) return `No channel could answer for ${model}. The last one said: ${last.message}`;
  if (targets.length === 0) return `No channel serves ${model} now. The operator has to add or enable one.`;
  const blocked = targets.filter(({ health }) => health.channel.block !== null).length;
  if (blocked < targets.length) return `No channel can answer for ${model} now: they rest after failures.`;
  return `No channel can answer for ${model} now: the provider refuses the credentials of every one. The operator has to renew them.`;
}

/** When the first of them may be asked again. */
function retryAfterMs(input: NoChannelInput): number {
  const { targets, nowMs } = input;
  const soonest = Math.min(...targets.map(({ health }) => health.availableAtMs(accountIdOf(input), nowMs)));
  return Number.isFinite(soonest) ? Math.max(SOONEST_RETRY_MS, soonest - nowMs) : BLOCKED_RETRY_MS;
}
