import type { Batch, BatchError, WaitingLine } from '../../domain/batches/batch.ts';
import type { StoredFile } from '../../domain/batches/stored-file.ts';
import type { BatchStore } from '../ports/batch-store.ts';
import type { FileStore } from '../ports/file-store.ts';
import { isLineError, readLine, SeenIds } from './batch-line.ts';
import { FileDeleted, inputLines } from './input-lines.ts';

/** The most errors that a batch lists. */
const MOST_ERRORS = 20;
const ADDED_AT_ONCE = 1_000;

export interface CheckPorts {
  readonly batches: Pick<BatchStore, 'addLines'>;
  readonly files: Pick<FileStore, 'chunk'>;
  readonly maxLines: number;
  /** Longer lines are refused, as bodies of this length are. */
  readonly maxLineBytes: number;
}

/** The lines of an input file, which are stored; or why they cannot be run. `null` if another process has taken the batch over. */
export type CheckedInput =
  | { readonly lines: number; readonly model: string | null }
  | { readonly errors: readonly BatchError[] }
  | null;

/** Reads the input of a batch as a stream, and stores where its lines are. It may be repeated after a crash. */
export async function checkInput(ports: CheckPorts, batch: Batch, file: StoredFile): Promise<CheckedInput> {
  const { batches, files, maxLines, maxLineBytes } = ports;
  const errors: BatchError[] = [];
  const ids = new SeenIds();
  const models = new Set<string | null>();
  let waiting: WaitingLine[] = [];
  let lines = 0;
  const add = async () => {
    const isOwn = await batches.addLines(batch.id, batch.claim, waiting);
    waiting = [];
    return isOwn;
  };
  try {
    for await (const { number, offset, length, bytes } of inputLines(files, file, maxLineBytes)) {
      if (++lines > maxLines) return { errors: [tooMany(maxLines)] };
      const line = bytes === null ? tooLong(number, maxLineBytes) : readLine(bytes, batch.endpoint, number);
      if (isLineError(line)) errors.push(line);
      else if (ids.isKnown(line.customId)) errors.push(duplicate(number));
      else if (models.size < 2) models.add(line.model);
      if (errors.length >= MOST_ERRORS) return { errors };
      waiting.push({ number, offset, bytes: length });
      if (waiting.length >= ADDED_AT_ONCE && errors.length === 0 && !(await add())) return null;
    }
  } catch (error) {
    if (error instanceof FileDeleted) return { errors: [gone()] };
    throw error;
  }
  if (errors.length > 0) return { errors };
  if (lines === 0) return { errors: [about('empty_file', 'The input file has no lines.')] };
  if (waiting.length > 0 && !(await add())) return null;
  const [model = null] = models;
  return { lines, model: models.size === 1 ? model : null };
}

function about(code: string, message: string): BatchError {
  return { code, message, param: null, line: null };
}

export function gone(): BatchError {
  return about('file_not_found', 'The input file was deleted or has expired.');
}

function tooMany(maxLines: number): BatchError {
  return about('too_many_lines', `The input file has more than ${maxLines} lines. Split it into several batches.`);
}

function tooLong(line: number, bytes: number): BatchError {
  return { code: 'line_too_long', message: `This line has more than ${bytes} bytes.`, param: null, line };
}

function duplicate(line: number): BatchError {
  const message = 'This `custom_id` is used by an earlier line.';
  return { code: 'duplicate_custom_id', message, param: 'custom_id', line };
}
