import type { parseFromTokenizer } from 'music-metadata';
import type { UploadedFile } from '../../domain/media/uploaded-file.ts';
import { Turns } from '../../formats/shared/json/large-json.ts';

type Tokenizer = Parameters<typeof parseFromTokenizer>[0];

/** The argument of the tokenizer's methods; the library declares it in a separate package. */
interface Token<T> {
  readonly len: number;
  get(bytes: Uint8Array, offset: number): T;
}

interface Range {
  readonly length?: number;
  readonly position?: number;
  readonly mayBeLess?: boolean;
}

/** The part of a stream reader that is used here. */
interface Source {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** The largest piece that a parser may read at once, such as a table of all frames, which it then parses without a pause. */
const MOST_AT_ONCE = 1024 * 1024;
const READS_BETWEEN_LOOKS = 64;

/** Ends the parsing of a file that costs too much, or is shorter than it claims. */
export class UnreadableFile extends Error {}

/**
 * Reads a file for music-metadata: forwards, so that memory holds only what the parser looks at; within bounds; and in slices, since a
 * parser that finds everything in memory would block all other work.
 */
export class ForwardReader implements Tokenizer {
  position = 0;
  fileInfo: Tokenizer['fileInfo'];
  private readonly source: Source;
  /** Bytes that were read but not consumed. */
  private ahead: Uint8Array = new Uint8Array(0);
  private reads = 0;
  private readonly turns = new Turns();

  /** `mostReads` stops a parser that reads in circles or collects data without end. */
  constructor(
    file: Pick<UploadedFile, 'size' | 'stream'>,
    mediaType: string,
    private readonly mostReads: number,
  ) {
    this.source = file.stream().getReader();
    this.fileInfo = { size: file.size, mimeType: mediaType };
  }

  /** Forgets the bytes read so far: the file begins here. */
  beginHere(): void {
    const { size = 0 } = this.fileInfo;
    this.fileInfo = { ...this.fileInfo, size: size - this.position };
    this.position = 0;
  }

  async peekBuffer(buffer: Uint8Array, { length = buffer.length, position, mayBeLess }: Range = {}): Promise<number> {
    await this.look();
    const skipped = this.distanceTo(position);
    if (skipped + length > MOST_AT_ONCE) throw new UnreadableFile('too much at once');
    await this.fill(skipped + length);
    const found = this.ahead.subarray(skipped, skipped + length);
    if (found.length < length && mayBeLess !== true) throw new UnreadableFile('the file is too short');
    buffer.set(found);
    return found.length;
  }

  async readBuffer(buffer: Uint8Array, range: Range = {}): Promise<number> {
    await this.ignore(this.distanceTo(range.position));
    const { position: _, ...here } = range;
    const read = await this.peekBuffer(buffer, here);
    this.consume(read);
    return read;
  }

  async peekToken<T>(token: Token<T>, position?: number | null): Promise<T> {
    const bytes = roomFor(token);
    await this.peekBuffer(bytes, position == null ? {} : { position });
    return token.get(bytes, 0);
  }

  async readToken<T>(token: Token<T>, position?: number): Promise<T> {
    const bytes = roomFor(token);
    await this.readBuffer(bytes, position === undefined ? {} : { position });
    return token.get(bytes, 0);
  }

  peekNumber(token: Token<number>): Promise<number> {
    return this.peekToken(token);
  }

  readNumber(token: Token<number>): Promise<number> {
    return this.readToken(token);
  }

  /** Resolves to the number of bytes that were skipped. */
  async ignore(length: number): Promise<number> {
    if (!(length >= 0)) throw new UnreadableFile('backwards');
    let left = length;
    while (left > 0) {
      await this.look();
      await this.fill(1);
      if (this.ahead.length === 0) break;
      const taken = Math.min(left, this.ahead.length);
      this.consume(taken);
      left -= taken;
    }
    return length - left;
  }

  supportsRandomAccess(): boolean {
    return false;
  }

  async close(): Promise<void> {
    await this.source.cancel();
  }

  abort(): Promise<void> {
    return this.close();
  }

  private distanceTo(position: number | undefined): number {
    const distance = (position ?? this.position) - this.position;
    if (!(distance >= 0)) throw new UnreadableFile('backwards');
    return distance;
  }

  private async fill(length: number): Promise<void> {
    if (this.ahead.length >= length) return;
    const pieces = [this.ahead];
    let held = this.ahead.length;
    while (held < length) {
      const { done, value } = await this.source.read();
      if (done || value === undefined) break;
      pieces.push(value);
      held += value.length;
    }
    this.ahead = pieces.length === 1 ? this.ahead : Buffer.concat(pieces);
  }

  private consume(length: number): void {
    this.ahead = this.ahead.subarray(length);
    this.position += length;
  }

  private async look(): Promise<void> {
    if (++this.reads > this.mostReads) throw new UnreadableFile('too many reads');
    if (this.reads % READS_BETWEEN_LOOKS === 0 && this.turns.isOver) await this.turns.next();
  }
}

function roomFor({ len }: Token<unknown>): Uint8Array {
  if (len > MOST_AT_ONCE) throw new UnreadableFile('too much at once');
  return new Uint8Array(len);
}
