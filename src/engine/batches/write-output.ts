import { createHash } from 'node:crypto';
import type { Batch } from '../../domain/batches/batch.ts';
import type { StoredFile } from '../../domain/batches/stored-file.ts';
import { parseJsonBytes } from '../../formats/shared/json/json-text.ts';
import { isRecord } from '../../formats/shared/json/record.ts';
import type { BatchStore, StoredResult } from '../ports/batch-store.ts';
import type { FileStore } from '../ports/file-store.ts';
import { unrunLine } from './batch-line.ts';
import { FileRanges } from './file-reader.ts';
import { FileWriter } from './file-writer.ts';

/** The results that are in memory at once, in bytes of JSON. */
const AT_ONCE_BYTES = 512 * 1024;
/** A file that is not finished by then is deleted: its process has stopped. */
const WRITING_MS = 3_600_000;
/** The claims before the current one whose files are deleted. */
const MOST_EARLIER = 20;

export interface OutputPorts {
  readonly batches: Pick<BatchStore, 'results'>;
  readonly files: Pick<FileStore, 'create' | 'delete' | 'append' | 'finish' | 'chunk'>;
  readonly nowMs: () => number;
}

/** The files of a batch that has ended; `null` for one without lines. */
export interface OutputFiles {
  readonly outputFileId: string | null;
  readonly errorFileId: string | null;
}

/**
 * Writes the output and the error file of a batch, in the order of its lines. It may be repeated after a crash: the ids of the files
 * follow from the batch and its claim, so that what was written before is deleted.
 */
export async function writeOutput(ports: OutputPorts, batch: Batch, expiresAtMs: number): Promise<OutputFiles> {
  const output = new LineFile(ports, batch, 'output');
  const errors = new LineFile(ports, batch, 'error');
  const input = new FileRanges(ports.files, batch.inputFileId);
  let after = 0;
  for (;;) {
    const results = await ports.batches.results(batch.id, after, AT_ONCE_BYTES);
    if (results.length === 0) break;
    for (const result of results) {
      const json = result.json ?? unrunLine(batch.id, result.number, await customIdOf(input, result), result.outcome);
      await (result.outcome === 'succeeded' ? output : errors).add(json);
      after = result.number;
    }
  }
  return { outputFileId: await output.finish(expiresAtMs), errorFileId: await errors.finish(expiresAtMs) };
}

async function customIdOf(input: FileRanges, { offset, bytes }: StoredResult): Promise<string> {
  const line = await input.read(offset, bytes);
  const value = line === null ? null : parseJsonBytes(line);
  return isRecord(value) && typeof value.custom_id === 'string' ? value.custom_id : '';
}

function fileIdOf(batchId: string, kind: 'output' | 'error', claim: number): string {
  return `file-${createHash('sha256').update(`${batchId} ${kind} ${claim}`).digest('hex').slice(0, 32)}`;
}

/** A file of lines, which is made when it gets its first line. */
class LineFile {
  private file: { readonly id: string; readonly writer: FileWriter } | null = null;

  constructor(
    private readonly ports: OutputPorts,
    private readonly batch: Batch,
    private readonly kind: 'output' | 'error',
  ) {}

  async add(json: string): Promise<void> {
    this.file ??= await this.begin();
    if (!(await this.file.writer.writeLine(json))) throw new Error('an output file was deleted');
  }

  async finish(expiresAtMs: number): Promise<string | null> {
    if (this.file === null) return null;
    if (!(await this.file.writer.finish(expiresAtMs))) throw new Error('an output file was deleted');
    return this.file.id;
  }

  private async begin() {
    const { files, nowMs } = this.ports;
    const { id: batchId, accountId, keyId } = this.batch;
    const { claim } = this.batch;
    // Each owner has ids of its own, so that one which has lost the batch cannot replace the files of the next one.
    for (let earlier = Math.max(0, claim - MOST_EARLIER); earlier <= claim; earlier++) {
      await files.delete(fileIdOf(batchId, this.kind, earlier), accountId);
    }
    const id = fileIdOf(batchId, this.kind, claim);
    const createdAtMs = Math.floor(nowMs());
    const file: StoredFile = {
      ...{ id, accountId, keyId, createdAtMs, purpose: 'batch_output', bytes: 0, isWhole: false },
      name: `${batchId}_${this.kind}.jsonl`,
      expiresAtMs: createdAtMs + WRITING_MS,
    };
    await files.create(file);
    return { id, writer: new FileWriter(files, id) };
  }
}
