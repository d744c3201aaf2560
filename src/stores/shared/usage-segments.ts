import type { UsageSpan } from '../../engine/ports/usage-store.ts';

export type Level = 'minute' | 'hour' | 'day';

/** Roll-ups of one level that lie in one span. */
export interface Segment extends UsageSpan {
  /** The place of the span. */
  readonly place: number;
  readonly level: Level;
}

const LEVELS: readonly { readonly level: Level; readonly ms: number }[] = [
  { level: 'day', ms: 86_400_000 },
  { level: 'hour', ms: 3_600_000 },
  { level: 'minute', ms: 60_000 },
];

/** Takes spans apart into as few roll-ups as possible: whole days (UTC), hours before and after them, minutes before and after those. */
export function segmentsOf(spans: readonly UsageSpan[]): Segment[] {
  return spans.flatMap(({ fromMs, toMs }, place) => split(place, fromMs, toMs, 0));
}

function split(place: number, fromMs: number, toMs: number, index: number): Segment[] {
  const at = LEVELS[index];
  if (at === undefined || fromMs >= toMs) return [];
  const { level, ms } = at;
  const first = Math.ceil(fromMs / ms) * ms;
  const last = Math.floor(toMs / ms) * ms;
  if (first >= last) return split(place, fromMs, toMs, index + 1);
  return [
    ...split(place, fromMs, first, index + 1),
    { place, level, fromMs: first, toMs: last },
    ...split(place, last, toMs, index + 1),
  ];
}
