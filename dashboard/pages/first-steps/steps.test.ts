import { expect, test } from 'bun:test';
import { nextStep, STEPS, type StepId } from './steps.ts';

const done = (...steps: readonly StepId[]) =>
  Object.fromEntries(STEPS.map((step) => [step, steps.includes(step)])) as Record<StepId, boolean>;

test.each([
  ['provider', ['provider'], 'request'],
  ['provider', ['provider', 'request'], 'key'],
  // A step that was skipped comes again.
  ['clients', ['request', 'key', 'clients'], 'provider'],
  ['clients', STEPS, undefined],
] as const)('after %s, with %j done, comes %s', (after, finished, next) => {
  expect(nextStep(after, done(...finished))).toBe(next as StepId);
});
