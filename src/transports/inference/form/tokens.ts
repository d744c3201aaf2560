import { Dicer } from '@fastify/busboy';
import type { RawHeaders } from './part-header.ts';

/** A part begins (`headers` is `null` if they are not terminated), continues, and ends. */
export type FormToken =
  | { readonly kind: 'part'; readonly headers: RawHeaders | null }
  | { readonly kind: 'data'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' };

/** Longer headers are cut off; a header that thereby loses its end is refused. */
const MOST_HEADER_BYTES = 8 * 1024;
const MOST_HEADERS = 20;

/**
 * Splits the body of a form into parts. `push` returns synchronously everything that the piece completes: the library exposes parts as Node
 * streams, whose events come later and whose ends must all be tracked, so this class intercepts their `push`.
 */
export class FormTokens {
  private readonly parser: Dicer;
  private tokens: FormToken[] = [];
  private error: Error | null = null;

  constructor(boundary: string) {
    // The library's types lack the limit on the size of headers.
    const config = { boundary, maxHeaderPairs: MOST_HEADERS, maxHeaderSize: MOST_HEADER_BYTES };
    this.parser = new Dicer(config);
    this.parser.on('part', (part) => this.follow(part));
    this.parser.on('error', (error) => {
      this.error ??= error;
    });
  }

  /** Returns the tokens of the piece; their bytes are views of `piece`. */
  push(piece: Uint8Array): readonly FormToken[] {
    this.parser.write(piece);
    const { tokens } = this;
    this.tokens = [];
    return tokens;
  }

  /** Ends the body; resolves to whether the form was complete. */
  async end(): Promise<boolean> {
    this.parser.end();
    // The parser reports an incomplete form two ticks later.
    await new Promise((resolve) => setImmediate(resolve));
    return this.error === null;
  }

  private follow(part: Dicer.PartStream): void {
    let hasBegun = false;
    const begin = (headers: RawHeaders | null) => {
      hasBegun = true;
      this.tokens.push({ kind: 'part', headers });
    };
    // The library passes an object without a prototype, whose values are lists of strings.
    part.on('header', (headers) => begin(headers as RawHeaders));
    part.on('error', () => undefined);
    part.push = (bytes: Uint8Array | null) => {
      if (bytes !== null) {
        this.tokens.push({ kind: 'data', bytes });
        return true;
      }
      if (!hasBegun) begin(null);
      this.tokens.push({ kind: 'end' });
      part.emit('end');
      return false;
    };
  }
}
