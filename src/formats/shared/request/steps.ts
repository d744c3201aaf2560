import { Turns } from '../json/large-json.ts';

/** Work that may be long: it yields where other work may run. The caller decides whether it does. */
export type Steps<T> = Generator<void, T, void>;

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** For a large body: in several turns, so that other requests run before, between and after them. */
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
