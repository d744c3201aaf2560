import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gunzipSync, gzipSync } from 'node:zlib';

/** A text or a file, compressed for sending. */
export interface Packed {
  /** A hash of the content. */
  readonly hash: string;
  readonly brotli: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer>;
}

/**
 * The Brotli level: the next one saves 2 % of Scalar's script and takes four times as long (0.1 s), the last saves 14 % and takes 7.5 s.
 */
const BROTLI_LEVEL = 5;

export function packed(content: string | Uint8Array, brotliLevel = BROTLI_LEVEL): Packed {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: brotliLevel,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return {
    hash: createHash('sha256').update(bytes).digest('hex').slice(0, 16),
    brotli: own(brotliCompressSync(bytes, { params })),
    gzip: own(gzipSync(bytes)),
  };
}

/** Copies bytes out of a larger buffer, which would otherwise be kept or sent with them. */
function own(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}

interface Asked {
  readonly method: string;
  readonly headers: Headers;
}

/** Answers in the best encoding that the client accepts; 304 if the client has the current content. */
export function packedAnswer(
  { method, headers }: Asked,
  content: Packed,
  answerHeaders: Readonly<Record<string, string>>,
  status = 200,
): Response {
  const encoding = encodingFor(headers.get('accept-encoding') ?? '');
  const etag = `"${content.hash}-${encoding}"`;
  const common = { ...answerHeaders, etag, vary: 'accept-encoding', 'x-content-type-options': 'nosniff' };
  if (status === 200 && isKnown(headers.get('if-none-match'), etag))
    return new Response(null, { status: 304, headers: common });
  const body = bodyIn(encoding, content);
  const encoded = encoding === 'identity' ? common : { ...common, 'content-encoding': encoding };
  const all = { ...encoded, 'content-length': String(body.size) };
  return new Response(method === 'HEAD' ? null : body, { status, headers: all });
}

type Encoding = 'br' | 'gzip' | 'identity';

function encodingFor(accepted: string): Encoding {
  const taken = (name: Encoding) =>
    accepted.split(',').some((item) => {
      const [coding = '', ...parameters] = item.toLowerCase().split(';');
      return coding.trim() === name && !parameters.some((one) => /^\s*q=0(?:\.0*)?\s*$/.test(one));
    });
  return taken('br') ? 'br' : taken('gzip') ? 'gzip' : 'identity';
}

/** Created on first use of an encoding, and kept as long as the content is. */
const bodies = new WeakMap<Packed, Map<Encoding, Blob>>();

/**
 * Returns a body that all answers share: a hundred clients that do not read 5 MB hold 14 MB together with a `Blob`, but 515 MB with a
 * `Uint8Array`, which is copied for each answer.
 */
function bodyIn(encoding: Encoding, content: Packed): Blob {
  const known = bodies.get(content) ?? new Map<Encoding, Blob>();
  bodies.set(content, known);
  const body = known.get(encoding) ?? new Blob([bytesIn(encoding, content)]);
  known.set(encoding, body);
  return body;
}

function bytesIn(encoding: Encoding, { brotli, gzip }: Packed): Uint8Array<ArrayBuffer> {
  if (encoding === 'br') return brotli;
  return encoding === 'gzip' ? gzip : own(gunzipSync(gzip));
}

function isKnown(known: string | null, etag: string): boolean {
  if (known === null) return false;
  return known.trim() === '*' || known.split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}
