import type { CheckVerdict, GuardCheck } from './guard-check.ts';

/** The verdicts of a check about a request, which it gave when an earlier call read the same request. */
export interface KnownVerdicts {
  readonly guard: string;
  readonly check: GuardCheck['name'];
  readonly verdicts: readonly CheckVerdict[];
}

/** Longer texts of verdicts are not stored; the checks are then asked again. */
const LONGEST_CHARACTERS = 256 * 1024;

/** Returns verdicts as text; `null` if there are none, or too many to keep. */
export function textOfVerdicts(known: readonly KnownVerdicts[]): string | null {
  if (known.length === 0) return null;
  const text = JSON.stringify(known);
  return text.length > LONGEST_CHARACTERS ? null : text;
}

/** Returns the verdicts in a text of `textOfVerdicts`. */
export function verdictsIn(text: string | null): readonly KnownVerdicts[] {
  // Only `textOfVerdicts` writes it.
  return text === null ? [] : (JSON.parse(text) as readonly KnownVerdicts[]);
}
