/** The limit for eight times the work: linear work takes 8 times as long, quadratic work 64 times. */
const MOST_RATIO = 24;
const TIMES = 8;
const TRIES = 12;
/** Below this, noise dominates; a request's total limit is far above it. */
const NOTICEABLE_MS = 12;

function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Runs the work for `most` items and, if that takes a noticeable time, for an eighth of them; throws if the former takes far more than
 * eight times as long. CPU time and a ratio are independent of the machine's load.
 */
export function expectLinear<Input>(most: number, make: (count: number) => Input, work: (input: Input) => void): void {
  const [few, many] = [make(most / TIMES), make(most)];
  work(few);
  let [short, long] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  // Uses the least disturbed of several tries; most need only one.
  for (let tried = 0; tried < TRIES; tried++) {
    // Collects earlier garbage before the time is measured.
    if (tried > 0) Bun.gc(true);
    long = Math.min(
      long,
      cpuMsOf(() => work(many)),
    );
    if (long <= NOTICEABLE_MS) return;
    short = Math.min(
      short,
      cpuMsOf(() => work(few)),
    );
    if (long <= MOST_RATIO * Math.max(short, NOTICEABLE_MS / TIMES)) return;
  }
  const ratio = (long / short).toFixed(1);
  throw new Error(
    `${most / TIMES} took ${short.toFixed(1)} ms, ${most} took ${long.toFixed(1)} ms: ${ratio} times as long`,
  );
}
