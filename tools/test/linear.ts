/** How much longer eight times the work may take: 8 is what it is to be, 64 what a quadratic rule takes. */
const MOST_RATIO = 24;
const TIMES = 8;
const TRIES = 12;
/** Below this a machine's own noise decides; what all of a request may cost is far above it. */
const NOTICEABLE_MS = 12;

function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Runs the work for `most` things and, where that takes a time worth speaking of, for an eighth of them, and throws where the
 * whole takes far more than eight times as long as the eighth. CPU time and a ratio, so that a busy machine changes nothing.
 */
export function expectLinear<Input>(most: number, make: (count: number) => Input, work: (input: Input) => void): void {
  const [few, many] = [make(most / TIMES), make(most)];
  work(few);
  let [short, long] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  // Of several tries those that were disturbed least; most need only one.
  for (let tried = 0; tried < TRIES; tried++) {
    // What others left behind is not collected within the time that is measured.
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
