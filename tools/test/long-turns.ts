import { dlopen } from 'bun:ffi';
import { arch, getPriority } from 'node:os';

/** The number of the system call `sched_setattr` on each architecture. */
const SCHED_SETATTR: Readonly<Record<string, number>> = { x64: 314, arm64: 274 };
const SCHED_BATCH = 3;
const TURN_NS = 20_000_000n;
/** The size of `struct sched_attr` (sched_setattr(2)), and the places of its members. */
const STRUCT = { bytes: 48, policyAt: 4, niceAt: 16, turnAt: 24 } as const;

/**
 * Lets this process, and all that it starts from now on, run on its core for up to 20 ms at a time without being interrupted by the others.
 * Six test processes on two cores otherwise take turns of about 3 ms, each of which finds the caches filled by others: the same tests then
 * take 1.4 to 1.7 times the CPU. Only Linux can do it, the length of a turn from version 6.12 on.
 */
export function takeLongTurns(): void {
  const call = SCHED_SETATTR[arch()];
  if (process.platform !== 'linux' || call === undefined) return;
  const attributes = new DataView(new ArrayBuffer(STRUCT.bytes));
  attributes.setUint32(0, STRUCT.bytes, true);
  attributes.setUint32(STRUCT.policyAt, SCHED_BATCH, true);
  attributes.setInt32(STRUCT.niceAt, getPriority(), true);
  attributes.setBigUint64(STRUCT.turnAt, TURN_NS, true);
  try {
    const { symbols } = dlopen('libc.so.6', { syscall: { args: ['i64', 'i64', 'ptr', 'i64'], returns: 'i64' } });
    symbols.syscall(call, 0, new Uint8Array(attributes.buffer), 0);
  } catch {
    // Another C library: the tests only take longer.
  }
}
