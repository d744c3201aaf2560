import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/* Facts that the operating system reports about a running process; only Linux does so in files. */

export const processFilesMissing = existsSync('/proc/self/fd')
  ? undefined
  : 'skipped: this system does not show the memory and the sockets of a process under /proc';

/** Returns the resident memory of the process in bytes: now, and the maximum since it started. */
export function memoryOf(pid: number): { readonly now: number; readonly most: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
  return { now: bytes('VmRSS'), most: bytes('VmHWM') };
}

/** Returns the current resident memory of the process, in MiB. */
export function residentMegabytes(pid: number): number {
  return memoryOf(pid).now / 1024 ** 2;
}

/** Returns the number of open sockets of the process, including listening ones. */
export function openSockets(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((descriptor) => isSocket(`${folder}/${descriptor}`)).length;
}

function isSocket(link: string): boolean {
  try {
    return readlinkSync(link).startsWith('socket:');
  } catch {
    // Closed since the folder was read.
    return false;
  }
}
