import { Failure } from '../../domain/failure/failure.ts';
import { type ChannelLimiters, isLimited, retryAfterOf } from '../channel-limits/channel-limiters.ts';
import { TargetPermit } from '../channel-limits/target-permit.ts';
import type { RelayChannel } from '../directory/relay-channel.ts';
import type { ModelHealth } from '../health/channel-health.ts';

/**
 * Takes a permit for a call that is passed through, which counts against the limits of its channel like any other request. It does not wait:
 * no other channel could serve it, and its body would have to be kept meanwhile. Resolves to `null` if the channel has no limits.
 */
export async function relayPermit(
  limiters: ChannelLimiters | undefined,
  { channel, place }: RelayChannel,
  health: ModelHealth,
  modelId: string | null,
): Promise<TargetPermit | null | Failure> {
  const target = { channel, place, health, publicModel: modelId ?? '', limitSpelling: null };
  if (limiters === undefined || !isLimited(target)) return null;
  const taken = await limiters.take(target, null);
  if (taken instanceof TargetPermit) return taken;
  return new Failure('rate_limit_exceeded', {
    message: `Your channel \`${channel.id}\` is at its limit now.`,
    kind: 'channels_full',
    side: 'gateway',
    retryAfterMs: retryAfterOf([taken]),
    hint: 'Wait for retry_after seconds and send the request again, or raise the limits of the channel.',
  });
}
