import { createHash, type Hash } from 'node:crypto';
import type { ExportBatch, ExportedLine, SkippedLine } from '../../engine/ports/export-destination.ts';
import { columnsOf } from '../../engine/request-export/rows.ts';
import type { ParquetThread } from './parquet-thread.ts';

/** A complete file of a batch. */
export interface NamedFile {
  /** The part of the batch, as `partOf` names it. */
  readonly part: string;
  /** Follows from the lines alone: the same lines have the same name, and different lines have different ones. */
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

interface ParquetBatchOptions {
  readonly thread: ParquetThread;
  /** Returns the part of the batch to which a line belongs. Each part becomes a file. */
  readonly partOf: (line: ExportedLine) => string;
  readonly send: (file: NamedFile) => Promise<void>;
}

interface Part {
  /** Names the file in the thread. */
  readonly file: string;
  readonly hash: Hash;
  firstId: number;
  lastId: number;
}

let files = 0;

/** Lines that are sent as one or more Parquet files. A thread has one batch at a time. */
export class ParquetBatch implements ExportBatch {
  private readonly parts = new Map<string, Part>();
  private readonly skipped: SkippedLine[] = [];
  private bytes = 0;

  constructor(private readonly options: ParquetBatchOptions) {}

  get size(): number {
    return this.bytes;
  }

  async add(lines: readonly ExportedLine[]): Promise<void> {
    for (const [name, own] of Map.groupBy(lines, this.options.partOf)) {
      const { columns, count, skipped } = columnsOf(own);
      this.skipped.push(...skipped);
      if (count === 0) continue;
      const part = this.partNamed(name);
      for (const { id, record } of own) {
        part.hash.update(`${id} ${record.requestId}\n`);
        part.firstId = Math.min(part.firstId, id);
        part.lastId = Math.max(part.lastId, id);
      }
      const { size } = await this.options.thread.run({ kind: 'add', file: part.file, values: columns });
      this.bytes = size;
    }
  }

  async send(): Promise<readonly SkippedLine[]> {
    for (const [part, { file, firstId, lastId, hash }] of this.parts) {
      const { bytes } = await this.options.thread.run({ kind: 'finish', file });
      if (bytes === undefined) throw new Error('lines could not be encoded');
      const name = `${padded(firstId)}-${padded(lastId)}-${hash.digest('hex').slice(0, 16)}`;
      await this.options.send({ part, name, bytes });
    }
    this.parts.clear();
    return this.skipped;
  }

  discard(): void {
    for (const { file } of this.parts.values()) {
      // The files are gone if the thread has ended.
      this.options.thread.run({ kind: 'drop', file }).catch(() => undefined);
    }
    this.parts.clear();
  }

  private partNamed(name: string): Part {
    const known = this.parts.get(name);
    if (known !== undefined) return known;
    const range = { firstId: Number.POSITIVE_INFINITY, lastId: 0 };
    const part: Part = { file: `file ${++files}`, hash: createHash('sha256'), ...range };
    this.parts.set(name, part);
    return part;
  }
}

/** Sorts by number. */
function padded(id: number): string {
  return String(id).padStart(12, '0');
}
