/** At a millisecond or more each. Only ends a wait that would never end. */
const MOST_LOOKS = 40_000;
const NOTHING = new Int32Array(new SharedArrayBuffer(4));

/** Polls until the condition holds. Works with fake timers as well, because it does not depend on any. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let looks = 0; !(await holds()); looks++) {
    if (looks === MOST_LOOKS) throw new Error(`it does not happen: ${what}`);
    await pause();
  }
}

/** Lets everything continue that is ready: promises, and events from sockets and files. */
export async function pause(): Promise<void> {
  await Atomics.waitAsync(NOTHING, 0, 0, 1).value;
}
