import type http from 'node:http';
import { Failure } from '../domain/failure/failure.ts';
import type { OpenedMedia } from '../engine/ports/media-fetcher.ts';
import * as failures from './media-failure.ts';
import { mediaTypeOf } from './media-type.ts';

/** Enough bytes to recognize the type of a file. */
const HEAD_BYTES = 512;

/** The fetch that the file belongs to. */
interface Fetching {
  readonly place: string;
  readonly signal: AbortSignal;
  readonly verdict: Failure | null;
  cut(verdict: Failure): void;
}

export interface PassedFileOptions {
  /** The answer, whose status and head have been checked. */
  readonly answer: http.IncomingMessage;
  readonly fetch: Fetching;
  readonly maxBytes: number;
  /** How long the next piece may take. */
  readonly idleMs: number;
}

/** A file that is passed on piece by piece, as fast as it is read: without a reader, nothing is read from the host. */
export class PassedFile {
  /** Resolves when the file has been passed on or abandoned. */
  readonly ended: Promise<void>;
  private readonly end: () => void;
  private readonly pieces: AsyncIterator<Uint8Array>;
  private readonly declared: number | null;
  private length = 0;

  constructor(private readonly options: PassedFileOptions) {
    const { answer } = options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.end = resolve;
    // Node's types do not know that a body without an encoding yields bytes.
    this.pieces = (answer as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    const length = answer.headers['content-length'];
    this.declared = length === undefined || answer.headers['transfer-encoding'] !== undefined ? null : Number(length);
  }

  /** Waits for the first bytes, by which the type is recognized. */
  async open(): Promise<OpenedMedia | Failure> {
    const { answer, fetch } = this.options;
    const head: Uint8Array<ArrayBuffer>[] = [];
    while (this.length < HEAD_BYTES) {
      const piece = await this.next();
      if (piece instanceof Failure) return this.refused(piece);
      if (piece === null) break;
      head.push(piece);
    }
    if (this.length === 0) return this.refused(failures.emptyContent(fetch.place));
    const isWhole = this.length < HEAD_BYTES;
    const mediaType = mediaTypeOf(answer.headers['content-type'], Buffer.concat(head));
    return { stream: this.streamOf(head, isWhole), mediaType };
  }

  private streamOf(head: Uint8Array<ArrayBuffer>[], isWhole: boolean): ReadableStream<Uint8Array<ArrayBuffer>> {
    const { fetch } = this.options;
    let onCut = () => {};
    const finish = () => {
      fetch.signal.removeEventListener('abort', onCut);
      this.end();
    };
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        start: (controller) => {
          onCut = () => {
            controller.error(fetch.verdict);
            finish();
          };
          fetch.signal.addEventListener('abort', onCut, { once: true });
          if (fetch.signal.aborted) onCut();
        },
        pull: async (controller) => {
          const piece = head.shift() ?? (isWhole ? null : await this.next());
          if (piece !== null && !(piece instanceof Failure)) return controller.enqueue(piece);
          // The stream was already errored when the fetch was cut.
          if (fetch.verdict !== null) return;
          if (piece === null) controller.close();
          else controller.error(piece);
          finish();
        },
        cancel: finish,
      },
      { highWaterMark: 0 },
    );
  }

  private refused(failure: Failure): Failure {
    this.end();
    return failure;
  }

  /** Resolves to the next piece; `null` at the end of a complete file. */
  private async next(): Promise<Uint8Array<ArrayBuffer> | null | Failure> {
    const { answer, fetch, maxBytes, idleMs } = this.options;
    const timer = setTimeout(() => fetch.cut(failures.idleTimedOut(fetch.place, idleMs)), idleMs);
    try {
      const { done, value } = await this.pieces.next();
      if (fetch.verdict !== null) return fetch.verdict;
      if (done === true) return this.isComplete() ? null : failures.transportProblem(fetch.place, null);
      this.length += value.length;
      if (this.length > maxBytes) return failures.tooLarge(fetch.place, maxBytes);
      // Copies, because the piece may be a view of a larger buffer, which would stay in memory.
      return new Uint8Array(value);
    } catch (error) {
      answer.destroy();
      return fetch.verdict ?? failures.transportProblem(fetch.place, error);
    } finally {
      clearTimeout(timer);
    }
  }

  private isComplete(): boolean {
    return this.options.answer.complete && (this.declared === null || this.declared === this.length);
  }
}
