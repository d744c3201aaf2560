import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { EntryCodec } from '../shared/cache/entry-codec.ts';
import { errorCodeOf } from '../shared/error-code.ts';
import type { CacheFile } from './cache-file.ts';
import { openCacheFile, replaceCacheFile } from './cache-open.ts';
import type { CacheAnswer, CacheTask, CacheTaskRequest, CacheWorkerData } from './cache-task.ts';
import { isDamage } from './connection.ts';

const { masterSecret, encrypts, ...options }: CacheWorkerData = workerData;
const codec = new EntryCodec('disk', masterSecret, encrypts);
let file: CacheFile | null = null;
/** Changes when the file is replaced, so that the reader reopens it. */
let generation = 0;
/** The inode of the open file. */
let inode: number | null = null;

function open(notes: string[]): CacheFile {
  if (file !== null) return file;
  file = openCacheFile({ ...options, codec }, notes);
  generation += 1;
  inode = inodeAtPath();
  return file;
}

function inodeAtPath(): number | null {
  return statSync(options.path, { throwIfNoEntry: false })?.ino ?? null;
}

function close(): void {
  file?.close();
  file = null;
}

function replace(reason: unknown, notes: string[]): void {
  close();
  if (options.mayReplace) notes.push(replaceCacheFile(options.path, reason));
}

function perform(task: CacheTask, nowMs: number, opened: CacheFile): unknown {
  switch (task.kind) {
    case 'open':
      return null;
    case 'write':
      return opened.write(task.batch, nowMs);
    case 'remove':
      return opened.remove(task.removal, nowMs);
    case 'drop':
      return opened.drop(task.keys);
    case 'sweep':
      return opened.sweep(nowMs);
    case 'list':
      return opened.list(task.page, nowMs);
    case 'questions':
      return opened.questions(task.page, nowMs);
  }
}

function done({ nowMs, task }: CacheTaskRequest, notes: string[]) {
  const opened = open(notes);
  const result = perform(task, nowMs, opened);
  return { result, statistics: opened.statistics };
}

function answered(request: CacheTaskRequest): CacheAnswer {
  const { id, task } = request;
  const notes: string[] = [];
  try {
    // Writes to a deleted file are lost, and its WAL grows without bound.
    if (task.kind === 'sweep' && file !== null && inodeAtPath() !== inode) {
      close();
      notes.push('the cache file was removed or replaced; the file now at its path is used');
    }
    if (task.kind === 'open' && task.damage !== null) replace(task.damage, notes);
    try {
      return { id, ...done(request, notes), notes, generation };
    } catch (error) {
      if (!isDamage(error) || !options.mayReplace) throw error;
      replace(error, notes);
      return { id, ...done(request, notes), notes, generation };
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { id, notes, generation, error: { code: errorCodeOf(error), message } };
  }
}

parentPort?.on('message', (request: CacheTaskRequest | 'close') => {
  if (request !== 'close') parentPort?.postMessage(answered(request));
  else {
    close();
    parentPort?.close();
  }
});
