import { closeSync, openSync, readFileSync } from 'node:fs';
import type { Logger } from '../engine/ports/logger.ts';

const LOOK_EVERY_MS = 500;
/** Of the limit; the rest is for upstreams, the database and files. */
const MOST_IN_USE = 0.75;
const TELL_EVERY_MS = 60_000;

/**
 * Keeps idle clients from taking the file descriptors that requests need: Bun accepts connections until there is none left. Those that have
 * been answered and lie idle are closed while more than three quarters are in use (one that sends nothing at all is closed by Bun
 * after 10 s). Returns what ends the watch.
 */
export function watchDescriptors(closeIdleConnections: () => void, logger: Logger): () => void {
  const limit = descriptorLimit();
  if (limit === null) return () => undefined;
  let toldAtMs = Number.NEGATIVE_INFINITY;
  const timer = setInterval(() => {
    const inUse = descriptorsInUse(limit);
    if (inUse <= limit * MOST_IN_USE) return;
    closeIdleConnections();
    if (performance.now() - toldAtMs < TELL_EVERY_MS) return;
    toldAtMs = performance.now();
    logger.warn({ inUse, limit }, 'file descriptors run short: idle client connections are closed; raise "ulimit -n"');
  }, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}

/** The operating system gives the lowest free number, so this is about how many are in use. */
function descriptorsInUse(limit: number): number {
  try {
    const lowestFree = openSync('/dev/null', 'r');
    closeSync(lowestFree);
    return lowestFree;
  } catch {
    return limit;
  }
}

/** `null` where the system does not tell it in Linux' way. */
function descriptorLimit(): number | null {
  try {
    const line = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return line === null ? null : Number(line[1]);
  } catch {
    return null;
  }
}
