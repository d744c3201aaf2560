import type { Refusal } from './rule.ts';

/** A rule that requests of the tests break for a reason that is being fixed. */
interface KnownRefusal {
  /** The strict upstream and the rule. */
  readonly upstream: string;
  readonly rule: string;
  readonly why: string;
}

const KNOWN: readonly KnownRefusal[] = [];

/** Returns whether a refusal is listed here, so tests may ignore it. */
export function isKnown({ upstream, rule }: Refusal): boolean {
  return KNOWN.some((one) => one.upstream === upstream.name && one.rule === rule.id);
}
