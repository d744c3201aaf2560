import type { AnswerHeaders } from '../../domain/http/answer-headers.ts';
import { ReceivedHeaders } from './received-headers.ts';

/** Of the head of an answer, and of the trailers of a body. */
export const MAX_HEAD_BYTES = 64 * 1024;
const MAX_HEADERS = 256;

/** What an upstream has sent is not HTTP/1.1, or not certain to be read in one way only. */
export class MalformedAnswer extends Error {
  readonly code = 'Malformed_HTTP_Response';
}

/** Where the body ends: there is none, after so many bytes, as its chunks say, or with the connection. */
export type Framing =
  | { readonly kind: 'none' | 'chunked' | 'close' }
  | { readonly kind: 'fixed'; readonly length: number };

export interface AnswerHead {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly framing: Framing;
  /** Whether the connection may carry another exchange: the server keeps it, and the end of this answer is beyond doubt. */
  readonly isKept: boolean;
  /** How long the server keeps it, where it says so. */
  readonly keptMs: number | null;
}

// A space before the colon, a folded line, a bare CR, LF or NUL do not match: readers disagree about each of them.
const HEAD =
  /^HTTP\/1\.([01]) ([1-9][0-9]{2})(?: [\t\x20-\x7e\x80-\xff]*)?((?:\r\n[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*)*)$/;
const LENGTH = /^[0-9]{1,15}$/;

/**
 * Reads a head (RFC 9112, sections 4 to 6), without its empty line at the end. Throws `MalformedAnswer`. What is allowed, but leaves it
 * open where the answer ends, is read as the RFC says and its connection not used again.
 */
export function parseHead(text: string): AnswerHead {
  const match = HEAD.exec(text);
  if (match === null) throw new MalformedAnswer('the head');
  const headers = new ReceivedHeaders(match[3] ?? '');
  if (headers.count > MAX_HEADERS) throw new MalformedAnswer('too many headers');
  const status = Number(match[2]);
  const isCurrent = match[1] === '1';
  const { framing, isPlain } = framingOf(status, isCurrent, headers);
  const isKept = isCurrent && isPlain && framing.kind !== 'close' && !hasToken(headers.get('connection'), 'close');
  const keepAlive = headers.get('keep-alive');
  return { status, headers, framing, isKept, keptMs: keepAlive === null ? null : keptMsOf(keepAlive) };
}

interface Framed {
  readonly framing: Framing;
  /** Whether there is one way only to read it. */
  readonly isPlain: boolean;
}

function framingOf(status: number, isCurrent: boolean, headers: ReceivedHeaders): Framed {
  const lengths = headers.all('content-length');
  const encodings = headers.all('transfer-encoding');
  const length = lengths.length === 0 ? null : lengthOf(lengths);
  const isChunked = encodings.length > 0;
  if (isChunked && (encodings.length > 1 || encodings[0]?.toLowerCase() !== 'chunked')) {
    throw new MalformedAnswer('transfer-encoding');
  }
  if (status < 200 || status === 204 || status === 304) {
    return { framing: { kind: 'none' }, isPlain: !isChunked && (status === 304 || !length) };
  }
  // A length beside chunks is overruled by them; HTTP/1.0 has no chunks, so that who sends them there is not understood.
  if (isChunked && !isCurrent) throw new MalformedAnswer('transfer-encoding in HTTP/1.0');
  if (isChunked) return { framing: { kind: 'chunked' }, isPlain: length === null };
  if (length === null) return { framing: { kind: 'close' }, isPlain: false };
  return { framing: { kind: 'fixed', length }, isPlain: lengths.length === 1 };
}

/** Said twice it must be the same; `5, 5` is what a proxy makes of two headers. */
function lengthOf(values: readonly string[]): number {
  const all = values.flatMap((value) => value.split(',').map((one) => one.trim()));
  const [first = ''] = all;
  if (!LENGTH.test(first) || all.some((one) => one !== first)) throw new MalformedAnswer('content-length');
  return Number(first);
}

function hasToken(value: string | null, token: string): boolean {
  return value?.split(',').some((one) => one.trim().toLowerCase() === token) ?? false;
}

/** `timeout=5, max=100` (RFC 2068, section 19.7.1.1). */
function keptMsOf(value: string): number | null {
  const match = /(?:^|[,\s])timeout=([0-9]{1,6})(?:$|[,\s])/i.exec(value);
  return match === null ? null : Number(match[1]) * 1_000;
}
