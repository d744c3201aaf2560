import { type Finding, ok, warn } from './finding.ts';

/** A response's `Date` has whole seconds, and a second may pass on the way. */
const TOLERATED_MS = 5_000;

/** The clock of another machine, compared with that of this one. */
export interface ComparedClock {
  /** The name of the other machine for people. */
  readonly of: string;
  /** How far the clock of this machine is ahead, in milliseconds; negative if it is behind. */
  readonly aheadMs: number;
}

/** Returns the comparison with a response's `Date` header; `null` if it has none. */
export function comparedWithDate(of: string, date: string | null, nowMs: number): ComparedClock | null {
  const atMs = Date.parse(date ?? '');
  // The header is truncated to seconds.
  return Number.isNaN(atMs) ? null : { of, aheadMs: nowMs - atMs - 500 };
}

/** Compares this machine's clock with those of upstreams and of the database. A single wrong upstream does not count. */
export function judgeClock(upstreams: readonly ComparedClock[], database: ComparedClock | null): readonly Finding[] {
  const subject = 'clock';
  const sorted = [...upstreams].sort((one, other) => one.aheadMs - other.aheadMs);
  const middle = sorted[Math.floor(sorted.length / 2)];
  const compared = [middle, database].flatMap((one) => one ?? []);
  if (compared.length === 0) return [ok(subject, 'not compared: nothing that has a clock has responded')];
  const wrong = compared.filter(({ aheadMs }) => Math.abs(aheadMs) > TOLERATED_MS);
  if (wrong.length === 0) return [ok(subject, `agrees with ${compared.map(({ of }) => of).join(' and ')}`)];
  return wrong.map(({ of, aheadMs }) => {
    const how = `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ${of}`;
    return warn(
      subject,
      `${how}: synchronize the clocks (systemd: "timedatectl set-ntp true"). Limits, expiry times and signed requests depend on them`,
    );
  });
}
