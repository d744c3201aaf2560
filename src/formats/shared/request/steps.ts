import { Turns } from '../json/large-json.ts';

/** Work that may take long: it yields at points where other work may run, and the caller decides whether it does. */
export type Steps<T> = Generator<void, T, void>;

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs a large body's steps in several turns, so that other requests run before, between and after them. */
export async function inTurns<T>(steps: Steps<T>, turns = new Turns()): Promise<Awaited<T>> {
  await turns.next();
  let step = steps.next();
  while (step.done !== true) {
    if (turns.isOver) await turns.next();
    step = steps.next();
  }
  await turns.next();
  return await step.value;
}
