export const STEPS = ['provider', 'request', 'key', 'clients'] as const;
export type StepId = (typeof STEPS)[number];

/** Returns the step to continue with after this one: the next that is not done, else an earlier one; undefined if all are done. */
export function nextStep(after: StepId, done: Readonly<Record<StepId, boolean>>): StepId | undefined {
  const place = STEPS.indexOf(after) + 1;
  return [...STEPS.slice(place), ...STEPS.slice(0, place)].find((step) => !done[step]);
}
