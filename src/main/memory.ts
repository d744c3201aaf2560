import { totalmem } from 'node:os';
import type { Configuration } from '../engine/admin/configuration/configuration.ts';
import { type MemoryBounds, memoryBoundsFor } from '../engine/settings/settings.ts';
import { CommandError } from './cli/command-error.ts';
import type { Environment } from './cli/settings.ts';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

/** The memory that the gateway may use, and the bounds derived from it. */
export interface MemoryInForce {
  /** Bytes for all processes of the gateway: the container's limit, else the machine's memory. */
  readonly availableBytes: number;
  /** The bounds that apply if the configuration sets none. */
  readonly defaults: MemoryBounds;
  /** The bounds in force. */
  readonly bounds: MemoryBounds;
}

const UNITS: Readonly<Record<string, number>> = { MiB: MIB, GiB: GIB };

/**
 * Returns the bytes that `SWITCHYARD_MEMORY` grants, such as `768MiB` or `2GiB`; by default the limit of this process's control group
 * (`memory.max`), else the machine's memory. Throws `CommandError` for an invalid value.
 */
export function availableMemory({ SWITCHYARD_MEMORY: text }: Environment): number {
  if (text) return parsedSize(text);
  const total = totalmem();
  // Without a limit some kernels report one that is larger than the machine, others 0.
  return Math.min(process.constrainedMemory() || total, total);
}

function parsedSize(text: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,6})(MiB|GiB)$/.exec(text) ?? [];
  const bytes = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (bytes >= 64 * MIB) return bytes;
  throw new CommandError(
    `SWITCHYARD_MEMORY: must be a size of at least 64MiB, such as "768MiB" or "2GiB" (got ${JSON.stringify(text)})`,
    2,
  );
}

/** @param processes how many processes of the gateway share the memory; the bounds are those of one process */
export function memoryInForce(
  configuration: Pick<Configuration, 'server' | 'media'> | null,
  processes: number,
  availableBytes: number,
): MemoryInForce {
  const defaults = memoryBoundsFor(availableBytes, processes);
  const bounds: MemoryBounds = {
    maxBodyBytes: configuration?.server.maxBodyBytes ?? defaults.maxBodyBytes,
    bodyMemoryBytes: configuration?.server.bodyMemoryBytes ?? defaults.bodyMemoryBytes,
    maxHeldAnswerBytes: configuration?.server.maxHeldAnswerBytes ?? defaults.maxHeldAnswerBytes,
    maxHeldMediaBytes: configuration?.media.maxHeldBytes ?? defaults.maxHeldMediaBytes,
  };
  return { availableBytes, defaults, bounds };
}

/** Describes the bounds in one sentence without a full stop, for the terminal. */
export function describeMemory({ availableBytes, bounds }: MemoryInForce): string {
  const { maxBodyBytes, bodyMemoryBytes, maxHeldAnswerBytes, maxHeldMediaBytes } = bounds;
  const parts = [
    `request bodies may use ${size(bodyMemoryBytes)} (the largest body is ${size(maxBodyBytes)})`,
    `responses ${size(maxHeldAnswerBytes)}`,
    `fetched media ${size(maxHeldMediaBytes)}`,
  ];
  return `${size(availableBytes)} available; ${parts.join(', ')}`;
}

export function size(bytes: number): string {
  return bytes >= GIB ? `${Number((bytes / GIB).toFixed(1))} GiB` : `${Math.floor(bytes / MIB)} MiB`;
}
