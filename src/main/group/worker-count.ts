import { availableParallelism } from 'node:os';
import { CommandError } from '../cli/command-error.ts';
import type { Environment } from '../cli/settings.ts';

/** More would be a mistake, such as a port in the wrong variable. */
const MOST = 128;

/**
 * How many processes are to serve, as `SWITCHYARD_WORKERS` says: a number, or `auto` for as many as there are cores but one, which
 * stays for their owner, the threads beside them and the kernel's part of the network. Without it one. Throws `CommandError`.
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
