/** Of what is measured, against the threshold: beyond it, back with a margin, or in the margin, where nothing changes. */
export type Verdict = 'over' | 'between' | 'under';

export interface Reading {
  readonly verdict: Verdict;
  /** Where the threshold holds for a period alone, such as a budget's: when it began, in milliseconds since 1970. */
  readonly periodStartMs: number | null;
}

/** What is remembered of one rule and one subject; nothing while all is well. */
export interface AlertState {
  /** `pending`: the condition is there, but not yet for as long as the rule says. */
  readonly status: 'pending' | 'raised';
  readonly sinceMs: number;
  readonly periodStartMs: number | null;
  /** When it was last told. */
  readonly toldAtMs: number;
}

export type AlertTransition = 'raised' | 'repeated' | 'resolved';

export interface Patience {
  /** How long the condition has to last before it is told. */
  readonly holdMs: number;
  /** How often it is told again while it lasts; `null` for never. */
  readonly repeatMs: number | null;
}

export interface AlertStep {
  readonly state: AlertState | null;
  readonly event: AlertTransition | null;
}

/**
 * One step of an alert: it is raised once for each crossing of the threshold, and resolved once when that is over.
 *
 * @param reading `null` where the subject is gone, or the rule is no longer about it
 */
export function nextAlertState(
  before: AlertState | null,
  reading: Reading | null,
  { holdMs, repeatMs }: Patience,
  nowMs: number,
): AlertStep {
  if (reading === null) return ended(before);
  // What was spent in the period before says nothing of this one, which is looked at by itself in the next step.
  if (before !== null && before.periodStartMs !== reading.periodStartMs) return ended(before);
  if (reading.verdict === 'under') return ended(before);
  if (reading.verdict === 'between') return { state: before, event: null };
  const { periodStartMs } = reading;
  if (before?.status === 'raised') {
    if (repeatMs === null || nowMs - before.toldAtMs < repeatMs) return { state: before, event: null };
    return { state: { ...before, toldAtMs: nowMs }, event: 'repeated' };
  }
  const sinceMs = before?.sinceMs ?? nowMs;
  if (nowMs - sinceMs < holdMs) {
    return { state: before ?? { status: 'pending', sinceMs, periodStartMs, toldAtMs: nowMs }, event: null };
  }
  return { state: { status: 'raised', sinceMs, periodStartMs, toldAtMs: nowMs }, event: 'raised' };
}

function ended(before: AlertState | null): AlertStep {
  return { state: null, event: before?.status === 'raised' ? 'resolved' : null };
}
