import { parentPort, workerData } from 'node:worker_threads';
import { type ColumnValues, ParquetFile } from './parquet-file.ts';

export type ParquetTask =
  | { readonly kind: 'add'; readonly file: string; readonly values: ColumnValues }
  | { readonly kind: 'finish'; readonly file: string }
  | { readonly kind: 'drop'; readonly file: string };

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

function work(task: ParquetTask): ParquetResult {
  if (task.kind === 'drop') {
    files.delete(task.file);
    return { size: 0 };
  }
  const file = files.get(task.file) ?? new ParquetFile(writtenBy);
  if (task.kind === 'add') {
    files.set(task.file, file);
    file.add(task.values);
    return { size: file.size };
  }
  files.delete(task.file);
  file.finish();
  return { size: 0, bytes: file.take() };
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
