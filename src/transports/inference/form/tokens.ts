import { Dicer } from '@fastify/busboy';
import type { RawHeaders } from './part-header.ts';

/** A part begins (`headers` is `null` if they have no end), goes on, and ends. */
export type FormToken =
  | { readonly kind: 'part'; readonly headers: RawHeaders | null }
  | { readonly kind: 'data'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' };

/** What is longer is cut off; a header that then has lost its end is refused. */
const MOST_HEADER_BYTES = 8 * 1024;
const MOST_HEADERS = 20;

/**
 * Cuts the body of a form into its parts. Each `push` returns at once all that the piece has brought: the library hands parts
 * over as streams of Node's, whose events come later and which must all be watched for their ends, so what it puts into them is
 * taken where it puts it.
 */
export class FormTokens {
  private readonly parser: Dicer;
  private tokens: FormToken[] = [];
  private error: Error | null = null;

  constructor(boundary: string) {
    // The types of the library lack the bound on the size of headers.
    const config = { boundary, maxHeaderPairs: MOST_HEADERS, maxHeaderSize: MOST_HEADER_BYTES };
    this.parser = new Dicer(config);
    this.parser.on('part', (part) => this.follow(part));
    this.parser.on('error', (error) => {
      this.error ??= error;
    });
  }

  /** The bytes of the tokens are parts of `piece`. */
  push(piece: Uint8Array): readonly FormToken[] {
    this.parser.write(piece);
    const { tokens } = this;
    this.tokens = [];
    return tokens;
  }

  /** The body has ended: says whether the form has ended before. */
  async end(): Promise<boolean> {
    this.parser.end();
    // The parser reports a form without an end two ticks later.
    await new Promise((resolve) => setImmediate(resolve));
    return this.error === null;
  }

  private follow(part: Dicer.PartStream): void {
    let hasBegun = false;
    const begin = (headers: RawHeaders | null) => {
      hasBegun = true;
      this.tokens.push({ kind: 'part', headers });
    };
    // It makes an object of lists of strings without a prototype.
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
