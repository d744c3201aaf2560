import { type AlertCondition, type AlertRule, accountsOf } from '../../domain/alerts/alert-rule.ts';
import type { Verdict } from '../../domain/alerts/alert-state.ts';
import type { Channel } from '../../domain/catalog/channel.ts';
import { sumsByPlace } from '../health/key-spendings.ts';
import { SERVING_ONLY } from '../ports/directory-store.ts';
import type { HealthRow } from '../ports/health-store.ts';
import type { ReadingPorts } from './alert-ports.ts';
import type { Sink } from './measure-accounts.ts';
import { firstKeyState } from './measure-keys.ts';

type ChannelState = Extract<AlertCondition, { readonly kind: 'channel_state' }>;

export interface ChannelPicture {
  readonly channels: readonly Channel[];
  /** The health by channel. */
  readonly health: ReadonlyMap<string, readonly HealthRow[]>;
  /** The sums spent with upstream keys, by place and period. */
  readonly spent: ReadonlyMap<string, ReadonlyMap<string, bigint>>;
}

/** Resolves to the channels to which these rules apply, with the health that the gateways have stored. */
export async function readChannels(
  { directory, health, upstreamSpending }: ReadingPorts,
  rules: readonly AlertRule[],
): Promise<ChannelPicture> {
  const owners = rules.map(accountsOf);
  const named = owners.includes(null) ? null : [...new Set(owners.flatMap((accounts) => accounts ?? []))];
  const scope = named === null ? SERVING_ONLY : { serving: false as const, channelsOf: named };
  const { channels } = await directory.read(scope);
  const rows = new Map<string, HealthRow[]>();
  for (const row of await health.read(named === null ? undefined : channels.map(({ id }) => id))) {
    const known = rows.get(row.channelId);
    if (known) known.push(row);
    else rows.set(row.channelId, [row]);
  }
  const keyed = channels.filter(({ apiKeys }) => apiKeys !== undefined).map(({ id }) => id);
  const spent = keyed.length === 0 ? new Map() : sumsByPlace(await upstreamSpending.read(keyed));
  return { channels, health: rows, spent };
}

/** Measures rules about the state of channels. Channels that an operator has disabled are skipped. */
export function measureChannels(picture: ChannelPicture, rules: readonly AlertRule[], nowMs: number, sink: Sink): void {
  for (const rule of rules) {
    const { condition } = rule;
    if (condition.kind !== 'channel_state') continue;
    const owners = accountsOf(rule);
    for (const channel of picture.channels) {
      if (!channel.enabled || (condition.channelId !== null && condition.channelId !== channel.id)) continue;
      if (owners !== null && (channel.owner === null || !owners.includes(channel.owner))) continue;
      measureChannel(picture, rule, condition, channel, nowMs, sink);
    }
  }
}

function measureChannel(
  { health, spent }: ChannelPicture,
  rule: AlertRule,
  condition: ChannelState,
  channel: Channel,
  nowMs: number,
  sink: Sink,
): void {
  const { id, owner, block, resetAtMs } = channel;
  const served = new Set(Object.values(channel.models));
  const rows = (health.get(id) ?? []).filter(
    ({ upstreamModel, updatedAtMs }) => served.has(upstreamModel) && updatedAtMs >= (resetAtMs ?? 0),
  );
  const keyState = firstKeyState(channel, spent, condition.states, nowMs);
  const { value, verdict, detail } =
    block === null
      ? (keyState ?? restOf(rows, nowMs, id))
      : {
          value: 'blocked',
          verdict: 'over' as const,
          detail: `Channel ${id} is down: ${sentence(block.reason)}`,
        };
  const isWatched = condition.states.some((state) => state === value);
  sink(rule, {
    subject: { kind: 'channel', id, accountId: owner },
    reading: { verdict: isWatched || verdict !== 'over' ? verdict : 'between', periodStartMs: null },
    ...{
      holdMs: block === null && keyState === null ? condition.restingMs : 0,
      value,
      threshold: condition.states.join(','),
      unit: 'state',
    },
    detail,
  });
}

interface Rest {
  readonly value: 'ready' | 'probing' | 'resting';
  readonly verdict: Verdict;
  readonly detail: string;
}

/**
 * Returns the state as lists of channels show it: a channel is cooling down while any of its models is, and healthy when all of them are.
 */
function restOf(rows: readonly HealthRow[], nowMs: number, id: string): Rest {
  const ailing = rows.filter(({ state }) => state !== 'closed');
  if (ailing.length === 0) return { value: 'ready', verdict: 'under', detail: `Channel ${id} is healthy.` };
  const resting = ailing.filter(({ state, availableAtMs }) => state === 'open' && (availableAtMs ?? 0) > nowMs);
  const models = (some: readonly HealthRow[]) => {
    const names = some.map(({ upstreamModel }) => upstreamModel).slice(0, 10);
    return `${some.length} of its models (${names.join(', ')})`;
  };
  if (resting.length === 0) {
    return { value: 'probing', verdict: 'between', detail: `Channel ${id} is recovering for ${models(ailing)}.` };
  }
  const kinds = [...new Set(resting.flatMap(({ lastFailure }) => lastFailure ?? []))].join(', ');
  return {
    value: 'resting',
    verdict: 'over',
    detail: `Channel ${id} is cooling down for ${models(resting)} after failures${kinds === '' ? '' : ` (${kinds})`}.`,
  };
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
