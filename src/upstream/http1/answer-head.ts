import type { AnswerHeaders } from '../../domain/http/answer-headers.ts';
import { ReceivedHeaders } from './received-headers.ts';

/** The limit for the head of an answer, and for the trailers of a body. */
export const MAX_HEAD_BYTES = 64 * 1024;
const MAX_HEADERS = 256;

/** The upstream's bytes are not HTTP/1.1, or can be interpreted in more than one way. */
export class MalformedAnswer extends Error {
  readonly code = 'Malformed_HTTP_Response';
}

/** How the end of the body is determined: it is empty, has `length` bytes, is chunked, or ends with the connection. */
export type Framing = 'none' | 'fixed' | 'chunked' | 'close';

export interface AnswerHead {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly framing: Framing;
  /** The length of a `fixed` body in bytes; otherwise 0. */
  readonly length: number;
  /** Whether the connection may be reused: the server keeps it open, and the end of this answer is unambiguous. */
  readonly isKept: boolean;
  /** How long the server keeps the connection open; `null` if it does not say. */
  readonly keptMs: number | null;
}

// Rejects a space before the colon, a folded line, and a bare CR, LF or NUL: parsers disagree about each of them.
const HEAD =
  /^HTTP\/1\.[01] [1-9][0-9]{2}(?: [\t\x20-\x7e\x80-\xff]*)?(?:\r\n[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*)*$/;
const HEADER_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*$/;
/** The size of the shortest header: a head shorter than the maximum number of these need not be counted. */
const SHORTEST_HEADER = '\r\na:'.length;
const LENGTH = /^[0-9]{1,15}$/;

/**
 * Parses a head (RFC 9112, sections 4 to 6), without the empty line at its end. Throws `MalformedAnswer`. If a valid head leaves the end of
 * the answer ambiguous, it is read as the RFC says and its connection is not reused.
 */
export function parseHead(text: string): AnswerHead {
  if (!HEAD.test(text)) throw new MalformedAnswer('the head');
  const headers = new ReceivedHeaders(text);
  if (text.length > MAX_HEADERS * SHORTEST_HEADER && headers.count > MAX_HEADERS) {
    throw new MalformedAnswer('too many headers');
  }
  const isCurrent = text.charAt('HTTP/1.'.length) === '1';
  const status = Number(text.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
  const said = headers.get('content-length');
  const isOneLength = said === null || LENGTH.test(said);
  const length = said === null ? null : isOneLength ? Number(said) : lengthOf(headers.all('content-length'));
  const framing = framingOf(status, isCurrent, length, headers.get('transfer-encoding'));
  const isPlain = isOneLength || headers.all('content-length').length === 1;
  const keepAlive = headers.get('keep-alive');
  return {
    status,
    headers,
    framing,
    length: framing === 'fixed' ? (length ?? 0) : 0,
    isKept: isCurrent && isPlain && endsCertainly(framing, status, length, headers) && !saysClose(headers),
    keptMs: keepAlive === null ? null : keptMsOf(keepAlive),
  };
}

/** Returns whether a line is valid in a head or among trailers. */
export function isHeaderLine(line: string): boolean {
  return HEADER_LINE.test(line);
}

function framingOf(status: number, isCurrent: boolean, length: number | null, encoding: string | null): Framing {
  if (encoding !== null && encoding.toLowerCase() !== 'chunked') throw new MalformedAnswer('transfer-encoding');
  if (status < 200 || status === 204 || status === 304) return 'none';
  // HTTP/1.0 has no chunks, so the meaning of such an answer is unclear.
  if (encoding !== null && !isCurrent) throw new MalformedAnswer('transfer-encoding in HTTP/1.0');
  if (encoding !== null) return 'chunked';
  return length === null ? 'close' : 'fixed';
}

/** Returns whether the end of the answer is unambiguous before the connection closes. */
function endsCertainly(framing: Framing, status: number, length: number | null, headers: ReceivedHeaders): boolean {
  if (framing === 'none') return headers.get('transfer-encoding') === null && (status === 304 || !length);
  // Chunked framing overrides a length.
  return framing === 'chunked' ? length === null : framing === 'fixed';
}

function saysClose(headers: ReceivedHeaders): boolean {
  const tokens = headers.get('connection')?.split(',') ?? [];
  return tokens.some((one) => one.trim().toLowerCase() === 'close');
}

/** Parses the length. Repeated values must be equal; `5, 5` is how a proxy joins two headers. */
function lengthOf(values: readonly string[]): number {
  const all = values.flatMap((value) => value.split(',').map((one) => one.trim()));
  const [first = ''] = all;
  if (!LENGTH.test(first) || all.some((one) => one !== first)) throw new MalformedAnswer('content-length');
  return Number(first);
}

/** Parses `timeout=5, max=100` (RFC 2068, section 19.7.1.1). */
function keptMsOf(value: string): number | null {
  const match = /(?:^|[,\s])timeout=([0-9]{1,6})(?:$|[,\s])/i.exec(value);
  return match === null ? null : Number(match[1]) * 1_000;
}
