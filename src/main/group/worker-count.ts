import { availableParallelism } from 'node:os';
import { CommandError } from '../cli/command-error.ts';
import type { Environment } from '../cli/settings.ts';

/** A larger number would be a mistake, such as a port in the wrong variable. */
const MOST = 128;

/**
 * Returns the number of processes to serve with, from `SWITCHYARD_WORKERS`: a number, or `auto` for one less than the number of cores; the
 * remaining one is for the owner, the other threads and the kernel's network stack. The default is one. Throws `CommandError`.
 */
export function workerCount(environment: Environment, cores = availableParallelism()): number {
  const text = environment.SWITCHYARD_WORKERS || '1';
  if (text === 'auto') return Math.max(1, Math.min(MOST, cores - 1));
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MOST) return count;
  throw new CommandError(
    `SWITCHYARD_WORKERS: must be "auto" or a number from 1 to ${MOST} (got ${JSON.stringify(text)})`,
    2,
  );
}
