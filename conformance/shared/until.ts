/** Far longer than anything takes on a busy machine: it only ends what would never finish. */
const GIVE_UP_AFTER_MS = 300_000;
const LOOK_EVERY_MS = 5;

/** Polls until the condition holds; throws if it does not in time. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = GIVE_UP_AFTER_MS,
): Promise<void> {
  const startedMs = performance.now();
  while (!(await holds())) {
    if (performance.now() - startedMs > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await Bun.sleep(LOOK_EVERY_MS);
  }
}
