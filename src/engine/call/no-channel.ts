import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { LACKS_ABILITY } from '../../formats/shared/failure/refusal.ts';
import { retryAfterOf } from '../channel-limits/channel-limiters.ts';
import type { Full } from '../channel-limits/target-quota.ts';
import type { Directory } from '../directory/directory.ts';
import type { Target } from '../directory/target.ts';
import type { Alternatives } from './alternatives.ts';

/** The advised retry delay if only an operator can repair the channels. */
const BLOCKED_RETRY_MS = 60_000;
/** The shortest advised retry delay, used when a channel has just failed but already admits requests again. */
const SOONEST_RETRY_MS = 1_000;

/** Why no target has answered. */
export interface NoResponse {
  /** The latest failure that is useful to the client; `null` if no target was asked. */
  readonly failure: Failure | null;
  /** Whether the limit on attempts or the deadline was reached before all targets were tried. */
  readonly wasCutShort: boolean;
  /** The number of attempts that were made. */
  readonly asked: number;
  /** Why targets at their limits took no request; absent if there were none. */
  readonly full?: readonly Full[];
}

export interface NoChannelInput {
  readonly directory: Directory;
  readonly principal: Principal;
  readonly modelId: string;
  /** All targets that the account may use for the model, regardless of their health. */
  readonly targets: readonly Target[];
  readonly alternatives: Alternatives;
  readonly nowMs: number;
}

/** Returns whether a channel could not do what the request asks for: its format cannot express it, or its model lacks the ability. */
export function saysUnable({ kind }: Failure): boolean {
  return kind === 'loss_refused' || kind === LACKS_ABILITY;
}

/**
 * Returns the failure for the client when no target has answered (docs/routing.md). The client sees the failure itself if there is only one
 * channel, or if other targets were left untried; otherwise it learns that all channels failed.
 */
export function withoutResponse({ failure, wasCutShort, full }: NoResponse, input: NoChannelInput): Failure {
  if (failure === null && full !== undefined) return channelsFull(full, input);
  if (failure === null) return restOfTheOnlyOne(input) ?? allChannelsFailed(null, input);
  if (failure.retry === 'never' || wasCutShort) return failure;
  if (saysUnable(failure)) {
    // A channel in cooldown may be able to do what the others cannot.
    return input.targets.every(({ health }) => health.admits(accountIdOf(input), input.nowMs))
      ? failure
      : allChannelsFailed(null, input);
  }
  const channels = new Set(input.targets.map(({ channel }) => channel.id));
  if (failure.side === 'client' || channels.size === 1) return failure;
  return allChannelsFailed(failure, input);
}

/**
 * If the only channel is in cooldown because its upstream asked for it, the upstream's message and the remaining time say more than ours.
 */
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

/** Every channel that could be asked is at its limit, so the request is refused as its own account's limits would refuse it. */
function channelsFull(full: readonly Full[], { modelId }: NoChannelInput): Failure {
  return new Failure('rate_limit_exceeded', {
    message: `Every channel of the model \`${modelId}\` is at its limit now.`,
    kind: 'channels_full',
    side: 'gateway',
    retryAfterMs: retryAfterOf(full),
    hint: 'Wait for retry_after seconds and send the request again, or ask an admin to raise the limits of the channels.',
  });
}

function accountIdOf({ principal }: NoChannelInput): string {
  return principal.account.id;
}

function allChannelsFailed(last: Failure | null, input: NoChannelInput): Failure {
  const { modelId, directory, principal, nowMs } = input;
  const alternatives = input.alternatives.to(modelId, directory, principal, nowMs);
  return new Failure('all_channels_failed', {
    message: messageOf(last, input),
    kind: last === null ? 'no_channel_available' : 'all_channels_failed',
    retryAfterMs: retryAfterMs(input),
    hint: hintOf(input, alternatives[0]?.id ?? null),
    alternatives,
  });
}

/** Returns whether waiting is useless, because every channel is blocked. */
function onlyOperatorHelps({ targets }: NoChannelInput): boolean {
  return targets.every(({ health }) => health.channel.block !== null);
}

function hintOf(input: NoChannelInput, other: string | null): string {
  if (onlyOperatorHelps(input)) {
    return other === null
      ? 'Ask an admin to fix the channels; until then, requests for this model fail.'
      : `Use another model such as \`${other}\` until the admin has fixed the channels.`;
  }
  const wait = 'Wait for retry_after seconds and send the request again';
  return other === null ? `${wait}.` : `${wait}, or use another model such as \`${other}\`.`;
}

function messageOf(last: Failure | null, input: NoChannelInput): string {
  const { modelId, targets } = input;
  const model = `the model \`${modelId}\``;
  if (last !== null) return `No channel could answer for ${model}. Last error: ${last.message}`;
  if (targets.length === 0) return `No channel serves ${model} now. An admin must add or enable one.`;
  if (!onlyOperatorHelps(input))
    return `No channel can answer for ${model} now: its channels are cooling down after failures.`;
  return `No channel can answer for ${model} now: the provider rejects the credentials of every one. An admin must renew them.`;
}

/** Returns the milliseconds until the first channel may be asked again. */
function retryAfterMs(input: NoChannelInput): number {
  const { targets, nowMs } = input;
  const soonest = Math.min(...targets.map(({ health }) => health.availableAtMs(accountIdOf(input), nowMs)));
  return Number.isFinite(soonest) ? Math.max(SOONEST_RETRY_MS, soonest - nowMs) : BLOCKED_RETRY_MS;
}
