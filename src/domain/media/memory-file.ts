import type { UploadedFile } from './uploaded-file.ts';

const HEAD_BYTES = 64 * 1024;
const PIECE_BYTES = 256 * 1024;

/** A file held in memory. */
export class MemoryFile implements UploadedFile {
  readonly name: string;
  readonly declaredType: string | null;

  constructor(
    private readonly content: Uint8Array<ArrayBuffer>,
    { name = 'file', declaredType = null }: Partial<Pick<UploadedFile, 'name' | 'declaredType'>> = {},
  ) {
    this.name = name;
    this.declaredType = declaredType;
  }

  get size(): number {
    return this.content.length;
  }

  get head(): Uint8Array {
    return this.content.subarray(0, HEAD_BYTES);
  }

  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    let at = 0;
    return new ReadableStream(
      {
        pull: (controller) => {
          if (at >= this.content.length) return controller.close();
          // A copy, because a reader of the stream may transfer its pieces.
          controller.enqueue(this.content.slice(at, at + PIECE_BYTES));
          at += PIECE_BYTES;
        },
      },
      { highWaterMark: 0 },
    );
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return this.content;
  }
}
