import type { AnswerBytes } from '../upstream-exchange.ts';
import { MalformedAnswer } from './answer-head.ts';

/** Keyed by the names of RFC 9110, section 8.4.1, RFC 7932 and RFC 8878. */
const FORMATS: Readonly<Record<string, 'gzip' | 'deflate' | 'brotli' | 'zstd'>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'brotli',
  zstd: 'zstd',
};

/** Each decoder takes memory; no server has a reason for more than two encodings. */
const MAX_FORMATS = 4;

type Format = (typeof FORMATS)[string];

/** Returns the decoders to apply, the outermost encoding first; `null` if there are none. Throws `MalformedAnswer`. */
export function formatsOf(contentEncoding: string | null): readonly Format[] | null {
  if (contentEncoding === null) return null;
  const names = contentEncoding.split(',').map((name) => name.trim().toLowerCase());
  const formats = names.flatMap((name) => (name === 'identity' || name === '' ? [] : [formatOf(name)])).reverse();
  if (formats.length > MAX_FORMATS) throw new MalformedAnswer('content-encoding');
  return formats.length === 0 ? null : formats;
}

function formatOf(name: string): Format {
  const format = FORMATS[name];
  if (format === undefined) throw new MalformedAnswer('content-encoding');
  return format;
}

interface Decoded {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

type Decoder = ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>;

/** Decodes the answers of servers that compress although no compression was requested; never reads ahead of the reader. */
export class DecodedBytes implements AnswerBytes {
  private readonly reader: Decoded;
  /** The original error of the answer; a decoder would only report a premature end. */
  private lost: unknown = null;

  constructor(
    private readonly encoded: AnswerBytes,
    formats: readonly Format[],
  ) {
    const source = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull: async (controller) => {
          try {
            const piece = await encoded.read();
            if (piece === null) controller.close();
            else controller.enqueue(piece as Uint8Array<ArrayBuffer>);
          } catch (error) {
            this.lost = error;
            controller.error(error);
          }
        },
      },
      { highWaterMark: 0 },
    );
    this.reader = formats
      .reduce<ReadableStream<Uint8Array<ArrayBuffer>>>(
        (stream, format) => stream.pipeThrough(new DecompressionStream(format) as unknown as Decoder),
        source,
      )
      .getReader();
  }

  async read(): Promise<Uint8Array | null> {
    try {
      const { done, value } = await this.reader.read();
      return done || value === undefined ? null : value;
    } catch {
      throw this.lost ?? new MalformedAnswer('the compressed body');
    }
  }

  async bytes(): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for (let piece = await this.read(); piece !== null; piece = await this.read()) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  abort(): void {
    this.encoded.abort();
    this.reader.cancel().catch(() => {});
  }
}
