import { parentPort, workerData } from 'node:worker_threads';
import { type ColumnValues, ParquetFile, ROW_GROUP_ROWS } from './parquet-file.ts';

export type ParquetTask =
  | { readonly kind: 'add'; readonly file: string; readonly values: ColumnValues }
  | { readonly kind: 'finish'; readonly file: string }
  | { readonly kind: 'drop'; readonly file: string };

/** `size` is that of the complete groups of all open files, in bytes. */
export type ParquetResult =
  | { readonly size: number; readonly bytes?: Uint8Array<ArrayBuffer> }
  | { readonly error: string };

export interface ParquetRequest {
  readonly id: number;
  readonly task: ParquetTask;
}

export interface ParquetAnswer {
  readonly id: number;
  readonly result: ParquetResult;
}

/** The program that writes the files. */
const writtenBy = String(workerData);
const files = new Map<string, ParquetFile>();

/**
 * Bounds the rows in memory: an export that catches up with a quiet gateway has the lines of many hours, each in a file with fewer rows than a
 * group.
 */
function boundRows(): void {
  const open = [...files.values()];
  const largest = open.reduce<ParquetFile | null>(
    (one, other) => (one !== null && one.pending >= other.pending ? one : other),
    null,
  );
  if (open.reduce((sum, { pending }) => sum + pending, 0) >= ROW_GROUP_ROWS) largest?.writeGroup();
}

function totalSize(): number {
  return [...files.values()].reduce((sum, { size }) => sum + size, 0);
}

function work(task: ParquetTask): ParquetResult {
  if (task.kind === 'drop') {
    files.delete(task.file);
    return { size: totalSize() };
  }
  const file = files.get(task.file) ?? new ParquetFile(writtenBy);
  if (task.kind === 'add') {
    files.set(task.file, file);
    file.add(task.values);
    boundRows();
    return { size: totalSize() };
  }
  files.delete(task.file);
  file.finish();
  return { size: totalSize(), bytes: file.take() };
}

parentPort?.on('message', ({ id, task }: ParquetRequest) => {
  let result: ParquetResult;
  try {
    result = work(task);
  } catch (error) {
    result = { error: error instanceof Error ? error.message : String(error) };
  }
  const transferred = 'bytes' in result && result.bytes !== undefined ? [result.bytes.buffer] : [];
  parentPort?.postMessage({ id, result } satisfies ParquetAnswer, transferred);
});
