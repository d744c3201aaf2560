import { hasAlphaChannel, PngChunks, type PngHeader, PngRows } from '../../../domain/media/png.ts';
import type { UploadedFile } from '../../../domain/media/uploaded-file.ts';
import { Turns } from '../../../formats/shared/json/large-json.ts';
import type { CheckedPng } from './parse-edit.ts';

/** Inflates to at most a thousand times as much, which takes a few milliseconds. */
const INFLATED_AT_ONCE = 4 * 1024;

/** Reads a PNG file to its end: all chunks, and the inflated image data, which must not exceed the size in the header. Nothing is kept. */
export async function checkPng(file: UploadedFile): Promise<CheckedPng | { readonly problem: string }> {
  const chunks = new PngChunks();
  const turns = new Turns();
  let inflation: Inflation | null = null;
  for await (const piece of file.stream()) {
    for (const bytes of chunks.push(piece)) {
      if (chunks.header === null) break;
      inflation ??= new Inflation(chunks.header, turns);
      await inflation.write(bytes);
    }
    if (chunks.problem !== null || inflation?.problem) break;
    if (turns.isOver) await turns.next();
  }
  const problem = inflation?.problem ?? chunks.end() ?? (await inflation?.end()) ?? null;
  await inflation?.cancel();
  if (problem !== null) return { problem };
  if (chunks.header === null) return { problem: 'is not a PNG file' };
  const { width, height } = chunks.header;
  return { width, height, hasAlpha: hasAlphaChannel(chunks.header) || chunks.hasTransparency };
}

/** Inflates the image data in slices, because a small piece may inflate to a large one. */
class Inflation {
  problem: string | null = null;
  private readonly writer: ReturnType<DecompressionStream['writable']['getWriter']>;
  private readonly rows: PngRows;
  private readonly reading: Promise<void>;
  /** Collects image data, which may arrive in pieces of one byte. */
  private readonly room = new Uint8Array(INFLATED_AT_ONCE);
  private filled = 0;

  constructor(
    header: PngHeader,
    private readonly turns: Turns,
  ) {
    const { readable, writable } = new DecompressionStream('deflate');
    this.writer = writable.getWriter();
    // The reading side reports errors.
    this.writer.closed.catch(() => undefined);
    this.rows = new PngRows(header);
    this.reading = this.read(readable);
  }

  async write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    for (let at = 0; at < bytes.length && this.problem === null; ) {
      const taken = bytes.subarray(at, at + this.room.length - this.filled);
      this.room.set(taken, this.filled);
      this.filled += taken.length;
      at += taken.length;
      if (this.filled === this.room.length) await this.flush();
    }
  }

  /** Ends the image data. Resolves to the problem with them, or `null`. */
  async end(): Promise<string | null> {
    await this.flush();
    this.writer.close().catch(() => undefined);
    await this.reading;
    return this.problem;
  }

  async cancel(): Promise<void> {
    await this.writer.abort().catch(() => undefined);
  }

  private async flush(): Promise<void> {
    if (this.filled === 0 || this.problem !== null) return;
    const writing = this.writer.write(this.room.slice(0, this.filled)).catch(() => undefined);
    this.filled = 0;
    // If the reader has ended early, it no longer takes data.
    await Promise.race([writing, this.reading]);
    if (this.turns.isOver) await this.turns.next();
  }

  private async read(readable: ReadableStream<Uint8Array>): Promise<void> {
    try {
      for await (const piece of readable) {
        this.rows.push(piece);
        if (this.rows.problem !== null) break;
        if (this.turns.isOver) await this.turns.next();
      }
      this.problem = this.rows.end();
    } catch {
      this.problem = 'is corrupt: its image data cannot be inflated or ends wrongly';
    }
  }
}
