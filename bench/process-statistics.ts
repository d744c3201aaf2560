import { readdirSync, readFileSync } from 'node:fs';

/** Facts of the operating system about one process. */
export interface ProcessUsage {
  readonly pid: number;
  readonly parentPid: number;
  /** User and system time of all its threads, including those that have ended. */
  readonly cpuMs: number;
  readonly rssBytes: number;
  /** Set if the operating system reports it without another query. */
  readonly threads?: number;
}

/** Parses one line of Linux's /proc/PID/stat (see `man proc_pid_stat`); returns undefined if it is malformed. */
export function parseProcStat(line: string, ticksPerSecond: number, pageBytes: number): ProcessUsage | undefined {
  // The second field, the name in parentheses, may itself contain blanks and parentheses; the last ')' ends it.
  const nameEnd = line.lastIndexOf(')');
  if (nameEnd < 0) return undefined;
  const fields = line.slice(nameEnd + 2).split(' '); // fields[0] is the manual's field 3.
  const numberAt = (index: number) => Number(fields[index] ?? Number.NaN);
  const usage = {
    pid: Number.parseInt(line, 10),
    parentPid: numberAt(1),
    cpuMs: ((numberAt(11) + numberAt(12)) * 1000) / ticksPerSecond,
    rssBytes: numberAt(21) * pageBytes,
    threads: numberAt(17),
  };
  return Object.values(usage).every(Number.isFinite) ? usage : undefined;
}

/** Parses one line of `ps -axo pid=,ppid=,rss=,time=` on macOS, where the time is [[dd-]hh:]mm:ss.cc and the RSS is in KB. */
export function parsePsLine(line: string): ProcessUsage | undefined {
  const [pid, parentPid, rssKilobytes, time] = line.trim().split(/\s+/);
  if (time === undefined) return undefined;
  const [clock = '', days = '0'] = time.split('-').reverse();
  const seconds = clock.split(':').reduce((total, part) => total * 60 + Number(part), 0);
  const usage = {
    pid: Number(pid),
    parentPid: Number(parentPid),
    cpuMs: Math.round((Number(days) * 86_400 + seconds) * 1000),
    rssBytes: Number(rssKilobytes) * 1024,
  };
  return Object.values(usage).every(Number.isFinite) ? usage : undefined;
}

function configuration(name: string, otherwise: number): number {
  const value = Number(Bun.spawnSync(['getconf', name]).stdout.toString());
  return Number.isFinite(value) && value > 0 ? value : otherwise;
}

const isLinux = process.platform === 'linux';
const ticksPerSecond = isLinux ? configuration('CLK_TCK', 100) : 100;
const pageBytes = isLinux ? configuration('PAGESIZE', 4096) : 4096;

function readLinux(pid: number): ProcessUsage | undefined {
  const line = readStat(String(pid));
  return line === undefined ? undefined : parseProcStat(line, ticksPerSecond, pageBytes);
}

function readStat(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}/stat`, 'utf8');
  } catch {
    return undefined; // It has ended between the listing and the reading.
  }
}

function readAll(): ProcessUsage[] {
  const isUsage = (usage: ProcessUsage | undefined): usage is ProcessUsage => usage !== undefined;
  if (isLinux) {
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
    return pids.map(readLinux).filter(isUsage);
  }
  const listing = Bun.spawnSync(['ps', '-axo', 'pid=,ppid=,rss=,time=']).stdout.toString();
  return listing.split('\n').map(parsePsLine).filter(isUsage);
}

/** Returns the process `root` and all its descendants. */
export function familyOf(root: number, all: readonly ProcessUsage[]): ProcessUsage[] {
  const family = all.filter((usage) => usage.pid === root);
  const pids = new Set(family.map((usage) => usage.pid));
  for (let grown = true; grown; ) {
    const children = all.filter((usage) => pids.has(usage.parentPid) && !pids.has(usage.pid));
    for (const child of children) pids.add(child.pid);
    family.push(...children);
    grown = children.length > 0;
  }
  return family;
}

export interface FamilyUsage {
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly processes: number;
  /** The total of all its processes; undefined if the operating system does not report it. */
  readonly threads: number | undefined;
}

/** Returns the process itself first, then its descendants. */
export function readFamily(root: number): ProcessUsage[] {
  return familyOf(root, readAll());
}

/** Returns CPU milliseconds by the names of a process's threads, in steps of 10 ms; the first one is `main`. Linux only. */
export function readThreadTimes(pid: number): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`).map(Number)) {
    const line = readStat(`${pid}/task/${thread}`);
    const usage = line === undefined ? undefined : parseProcStat(line, ticksPerSecond, pageBytes);
    if (line === undefined || usage === undefined) continue;
    const name = thread === pid ? 'main' : line.slice(line.indexOf('(') + 1, line.lastIndexOf(')'));
    times.set(name, (times.get(name) ?? 0) + usage.cpuMs);
  }
  return times;
}

/** Returns the CPU time and resident memory of a process and its descendants (nginx's workers, a launcher's child). */
export function readFamilyUsage(root: number): FamilyUsage {
  const family = readFamily(root);
  return {
    cpuMs: family.reduce((total, usage) => total + usage.cpuMs, 0),
    rssBytes: family.reduce((total, usage) => total + usage.rssBytes, 0),
    processes: family.length,
    threads: family.reduce<number | undefined>(
      (total, { threads }) => (total === undefined || threads === undefined ? undefined : total + threads),
      0,
    ),
  };
}

/** Watches the resident memory of a process and its descendants; `stop` returns the maximum. */
export function watchPeakRss(root: number): { stop(): number } {
  let peak = readFamilyUsage(root).rssBytes;
  const timer = setInterval(() => {
    peak = Math.max(peak, readFamilyUsage(root).rssBytes);
  }, 100);
  return {
    stop() {
      clearInterval(timer);
      return Math.max(peak, readFamilyUsage(root).rssBytes);
    },
  };
}

/** Parses a list of cores in Linux' notation: `0-2,5` is 0, 1, 2 and 5. */
export function parseCoreList(text: string): number[] {
  return text
    .trim()
    .split(',')
    .filter((part) => part !== '')
    .flatMap((part) => {
      const [first = Number.NaN, last = first] = part.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
}

export interface CorePlan {
  /** Arguments before a command that pin it; empty if pinning is not possible. */
  readonly serverPrefix: readonly string[];
  readonly loadPrefix: readonly string[];
}

/** Assigns our first core to the server under test, and the second to the load generator and the mock upstream. */
export function planCores(): CorePlan {
  const unpinned = { serverPrefix: [], loadPrefix: [] };
  if (!isLinux || Bun.which('taskset') === null) return unpinned;
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  const [server, load] = parseCoreList(list);
  if (server === undefined || load === undefined) return unpinned;
  return { serverPrefix: ['taskset', '-c', String(server)], loadPrefix: ['taskset', '-c', String(load)] };
}
