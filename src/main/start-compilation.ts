/**
 * How much later than usual the runtime compiles code while a process starts, since most code then runs once: a start of the single
 * executable takes a sixth less CPU, a command a quarter. 4 saves a little less, 30 no more.
 */
const POLICY_AT_START = 10;
const USUAL_POLICY = 1;
/** A command that has run for this long is no longer starting. */
const START_MS = 1_000;

/** Delays compilation until the start has ended. Returns a function that ends it, for a gateway, which is ready at a known time. */
export function delayCompilation(): () => void {
  Bun.unsafe.setJITPolicy(POLICY_AT_START);
  const timer = setTimeout(compileAsUsual, START_MS).unref();
  return () => {
    clearTimeout(timer);
    compileAsUsual();
  };
}

function compileAsUsual(): void {
  Bun.unsafe.setJITPolicy(USUAL_POLICY);
}
