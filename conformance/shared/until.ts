/** Far longer than anything takes on a busy machine: it only ends what would never finish. */
const GIVE_UP_AFTER_MS = 300_000;
const LOOK_EVERY_MS = 5;
/** A look can be a query, a request or a script in a browser, so a long wait looks less often. */
const LOOK_AT_LEAST_EVERY_MS = 25;
/** The part of the time already waited that passes until the next look. */
const LATER = 0.05;

/** Polls until the condition holds; throws if it does not in time. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = GIVE_UP_AFTER_MS,
): Promise<void> {
  const startedMs = performance.now();
  while (!(await holds())) {
    const waitedMs = performance.now() - startedMs;
    if (waitedMs > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await Bun.sleep(Math.min(Math.max(waitedMs * LATER, LOOK_EVERY_MS), LOOK_AT_LEAST_EVERY_MS));
  }
}
