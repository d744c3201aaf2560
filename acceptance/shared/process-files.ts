import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/* What the operating system says of a running process; Linux alone says it in files. */

export const processFilesMissing = existsSync('/proc/self/fd')
  ? undefined
  : 'skipped: this system does not show the memory and the sockets of a process under /proc';

/** The memory of the process that is in use now. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** How many sockets the process has open, listening ones among them. */
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
