import type { AlertingChannelState } from '../../domain/alerts/alert-rule.ts';
import { type Channel, placeOf } from '../../domain/catalog/channel.ts';
import { keyedChannels } from '../../domain/catalog/keyed-channel.ts';
import { capWindow, periodName } from '../../domain/catalog/upstream-key.ts';

interface KeyVerdict {
  readonly value: 'key_blocked' | 'key_capped';
  readonly verdict: 'over';
  readonly detail: string;
}

/** Returns the first watched state that an enabled key of the channel is in; `null` if none is. */
export function firstKeyState(
  channel: Channel,
  spent: ReadonlyMap<string, ReadonlyMap<string, bigint>>,
  states: readonly AlertingChannelState[],
  nowMs: number,
): KeyVerdict | null {
  for (const keyed of channel.apiKeys === undefined ? [] : keyedChannels(channel)) {
    const { upstreamKey } = keyed;
    if (upstreamKey === undefined) continue;
    const { name, block, spendCap } = upstreamKey;
    if (block !== null && states.includes('key_blocked')) {
      const detail = `The key ${name} of channel ${channel.id} is blocked: ${block.reason}`;
      return { value: 'key_blocked', verdict: 'over', detail };
    }
    if (spendCap === null || !states.includes('key_capped')) continue;
    const period = periodName(spendCap, capWindow(spendCap, nowMs));
    const sum = spent.get(placeOf(keyed))?.get(period) ?? 0n;
    if (sum < spendCap.amountNanoUsd) continue;
    return {
      value: 'key_capped',
      verdict: 'over',
      detail: `The key ${name} of channel ${channel.id} has reached its spend cap.`,
    };
  }
  return null;
}
