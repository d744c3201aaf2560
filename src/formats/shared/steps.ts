import { Turns } from './large-json.ts';

/** Work on something that may be large: it yields where others may have a turn. Whoever runs it decides whether they get one. */
export type Steps<T> = Generator<void, T, void>;

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** For a large body: in turns of its own, with everybody else's between them, and before and after. */
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
