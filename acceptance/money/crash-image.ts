import { cp, lstat, readdir, readFile } from 'node:fs/promises';
import { until } from '../../conformance/shared/until.ts';

/**
 * Copies a data folder as a kill at this moment would leave it: the process group is stopped during the copy and then resumed. Whatever the
 * processes have written is in the files, whether or not they are killed.
 */
export async function copyAsKilled(group: number, from: string, to: string): Promise<void> {
  process.kill(-group, 'SIGSTOP');
  try {
    await until('all threads are stopped', () => standsStill(group));
    // Sockets cannot be copied. After a kill, nothing listens on them anyway.
    await cp(from, to, { recursive: true, filter: async (source) => !(await lstat(source)).isSocket() });
  } finally {
    process.kill(-group, 'SIGCONT');
  }
}

async function standsStill(group: number): Promise<boolean> {
  const states = await Promise.all((await processesOf(group)).map(threadStates));
  return states.flat().every((state) => state === 'T');
}

async function processesOf(group: number): Promise<readonly string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const groups = await Promise.all(ids.map(async (id) => [id, (await statOf(`/proc/${id}/stat`))?.[2]] as const));
  return groups.flatMap(([id, its]) => (its === String(group) ? [id] : []));
}

async function threadStates(processId: string): Promise<readonly string[]> {
  const folder = `/proc/${processId}/task`;
  const threads = await readdir(folder).catch(() => []);
  const states = await Promise.all(threads.map(async (id) => (await statOf(`${folder}/${id}/stat`))?.[0]));
  return states.filter((state) => state !== undefined);
}

/** Returns the fields of a `stat` file after the name: state, parent, group …; `null` where the process or thread has ended. */
async function statOf(file: string): Promise<readonly string[] | null> {
  const text = await readFile(file, 'utf8').catch(() => null);
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ');
}
