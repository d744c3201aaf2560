/* Verdicts on a feature or a field that is not carried exactly, each with its reason. */

export function approximated(why: string) {
  return { verdict: 'approximated', why } as const;
}

export function dropped(why: string) {
  return { verdict: 'dropped', why } as const;
}

export function refused(why: string) {
  return { verdict: 'refused', why } as const;
}
