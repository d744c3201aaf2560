import { closeSync, openSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';
import type { Logger } from '../engine/ports/logger.ts';
import { errorCodeOf } from '../stores/shared/error-code.ts';

const LOOK_EVERY_MS = 500;
/** The share of the limit for clients; the rest is for upstreams, the database and files. */
const MOST_IN_USE = 0.75;
const TELL_EVERY_MS = 60_000;

/**
 * Keeps idle clients from taking the file descriptors that requests need: Bun accepts connections until there are none left. Connections
 * that have been answered and are idle are closed while more than three quarters are in use (Bun itself closes one that sends nothing at
 * all after 10 s). Returns a function that ends the watch.
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
    logger.warn(
      { inUse, limit },
      'running out of file descriptors: closing idle client connections; raise "ulimit -n"',
    );
  }, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}

/** Returns whether this many file descriptors are free at this moment. */
export function areDescriptorsFree(count: number): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(devNull, 'r'));
  } catch (error) {
    return !/^E[MN]FILE$/.test(errorCodeOf(error) ?? '');
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
  return true;
}

/** Estimates the number in use: the operating system assigns the lowest free descriptor. */
function descriptorsInUse(limit: number): number {
  try {
    const lowestFree = openSync('/dev/null', 'r');
    closeSync(lowestFree);
    return lowestFree;
  } catch {
    return limit;
  }
}

/** Returns `null` if the system does not have Linux' `/proc`. */
function descriptorLimit(): number | null {
  try {
    const line = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return line === null ? null : Number(line[1]);
  } catch {
    return null;
  }
}
