/** The subject of an alert. */
export interface AlertSubject {
  readonly kind: 'account' | 'key' | 'model' | 'channel';
  readonly id: string;
  /** The owner, or the account whose requests were counted; `null` if all were. */
  readonly accountId: string | null;
}

/** Returns a text that identifies the subject and that `subjectFrom` parses. */
export function subjectKey({ kind, accountId, id }: AlertSubject): string {
  return JSON.stringify([kind, accountId, id]);
}

export function subjectFrom(key: string): AlertSubject {
  const [kind, accountId, id] = JSON.parse(key) as [AlertSubject['kind'], string | null, string];
  return { kind, accountId, id };
}

/**
 * The comparison of a measurement with the threshold: beyond it, back with a margin, or within the margin, where nothing changes.
 */
export type Verdict = 'over' | 'between' | 'under';

export interface Reading {
  readonly verdict: Verdict;
  /** When the period began, in milliseconds since 1970, if the threshold applies to a period such as a budget's. */
  readonly periodStartMs: number | null;
}

/** The state of one rule and subject; none while all is well. */
export interface AlertState {
  /** `pending`: the condition holds, but not yet for as long as the rule requires. */
  readonly status: 'pending' | 'raised';
  readonly sinceMs: number;
  readonly periodStartMs: number | null;
  /** When it was last reported. */
  readonly toldAtMs: number;
}

export type AlertTransition = 'raised' | 'repeated' | 'resolved';

export interface Patience {
  /** How long the condition has to last before it is reported. */
  readonly holdMs: number;
  /** How often it is repeated while it lasts; `null` for never. */
  readonly repeatMs: number | null;
}

export interface AlertStep {
  readonly state: AlertState | null;
  readonly event: AlertTransition | null;
}

/**
 * Returns the next state of an alert, which is raised once for each crossing of the threshold and resolved once afterwards.
 *
 * @param reading `null` if the subject no longer exists, or the rule no longer covers it
 */
export function nextAlertState(
  before: AlertState | null,
  reading: Reading | null,
  { holdMs, repeatMs }: Patience,
  nowMs: number,
): AlertStep {
  if (reading === null) return ended(before);
  // Spending in the previous period says nothing about this one, which the next step evaluates.
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
