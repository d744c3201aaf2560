/* What becomes of a feature or a field where it is not carried exactly, for the tables that say so with a reason each. */

export function approximated(why: string) {
  return { verdict: 'approximated', why } as const;
}

export function dropped(why: string) {
  return { verdict: 'dropped', why } as const;
}

export function refused(why: string) {
  return { verdict: 'refused', why } as const;
}
