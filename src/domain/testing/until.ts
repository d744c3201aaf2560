/** At a millisecond or more each. It only ends what would never come to an end. */
const MOST_LOOKS = 40_000;
const NOTHING = new Int32Array(new SharedArrayBuffer(4));

/** Looks again and again until it holds. Works beside fake timers as well, since it waits for none of them. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let looks = 0; !(await holds()); looks++) {
    if (looks === MOST_LOOKS) throw new Error(`it does not happen: ${what}`);
    await pause();
  }
}

/** Lets everything go on that is ready to: promises, and what sockets and files have brought. */
export async function pause(): Promise<void> {
  await Atomics.waitAsync(NOTHING, 0, 0, 1).value;
}
