import { Failure } from '../../domain/failure/failure.ts';
import { type MediaContent, type MediaRefusal, mediaRefused } from '../../engine/ports/media-store.ts';

/** Thrown to the reader of a source that ends early. `MediaSource.failure` has the reason. */
export class SourceEnded extends Error {}

/** The content to store, in chunks that are counted before they are passed on. */
export class MediaSource {
  /** Why it ended early: too long, no space, or broken off. */
  failure: Failure | null = null;
  refusal: MediaRefusal | null = null;
  private size = 0;
  private isStarted = false;

  constructor(
    private readonly content: MediaContent,
    private readonly count: (bytes: number) => Promise<MediaRefusal | null>,
  ) {}

  /** Whether the whole content is in memory. */
  get isInMemory(): boolean {
    return this.content.kind === 'bytes';
  }

  /** Yields the chunks once. Ending the iteration early cancels the stream. */
  async *pieces(): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    this.isStarted = true;
    if (this.content.kind === 'bytes') {
      const { bytes } = this.content;
      if (bytes.length === 0) throw this.end(empty());
      await this.admit(bytes.length);
      yield bytes;
    } else {
      yield* this.streamed(this.content);
      if (this.size === 0) throw this.end(empty());
    }
  }

  /** Cancels a source that has not been read. */
  discard(): void {
    if (this.isStarted || this.content.kind === 'bytes') return;
    this.isStarted = true;
    void this.content.stream.cancel().catch(() => undefined);
  }

  private async *streamed({ stream, maxBytes }: Extract<MediaContent, { kind: 'stream' }>) {
    const reader = stream.getReader();
    let isOver = false;
    try {
      for (;;) {
        const { done, value } = await this.next(() => reader.read());
        isOver = done;
        if (done) return;
        if (this.size + value.length > maxBytes) {
          throw this.end(failed('media_too_large', `The provider sent a file of more than ${maxBytes} bytes.`));
        }
        await this.admit(value.length);
        yield value;
      }
    } finally {
      // Not awaited, since the upstream may delay the end of the stream indefinitely.
      if (!isOver) void reader.cancel().catch(() => undefined);
    }
  }

  /** Reads the next chunk or the end. */
  private async next<Piece>(read: () => Promise<Piece>): Promise<Piece> {
    try {
      return await read();
    } catch {
      throw this.end(failed('media_broken_off', "The provider's file transfer was interrupted."));
    }
  }

  private async admit(bytes: number): Promise<void> {
    const refusal = await this.count(bytes);
    if (refusal !== null) {
      this.refusal = refusal;
      throw this.end(mediaRefused(refusal));
    }
    this.size += bytes;
  }

  private end(failure: Failure): SourceEnded {
    this.failure = failure;
    return new SourceEnded(failure.message);
  }
}

function empty(): Failure {
  return failed('media_empty', 'The provider sent an empty file.');
}

function failed(kind: string, message: string): Failure {
  return new Failure('upstream_error', { kind, message });
}
