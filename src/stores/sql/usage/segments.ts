import type { UsageSpan } from '../../../engine/ports/usage-store.ts';
import { QUARTER_MARK_MS, SUMMED_HOUR_MS } from './thinning.ts';

export type Level = 'minute' | 'hour' | 'day';

/** A range of roll-ups of one level within one span. */
export interface Segment extends UsageSpan {
  /** The index of the span. */
  readonly place: number;
  readonly level: Level;
}

const LEVELS: readonly { readonly level: Level; readonly ms: number }[] = [
  { level: 'day', ms: 86_400_000 },
  { level: 'hour', ms: SUMMED_HOUR_MS },
  { level: 'minute', ms: 60_000 },
];

/** Splits spans into as few roll-ups as possible: whole days (UTC), hours around them, and minutes around those. */
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
    ...(level === 'minute' ? partsOf(place, first, last) : []),
    ...split(place, last, toMs, index + 1),
  ];
}

/** Returns segments for the parts of hours that represent quarter-hours (thinning.ts), without the rows of whole hours between them. */
function partsOf(place: number, fromMs: number, toMs: number): Segment[] {
  const parts: Segment[] = [];
  for (let at = fromMs; at < toMs; ) {
    const next = Math.min(toMs, (Math.floor(at / SUMMED_HOUR_MS) + 1) * SUMMED_HOUR_MS);
    parts.push({ place, level: 'hour', fromMs: at + QUARTER_MARK_MS, toMs: next });
    at = next;
  }
  return parts;
}
