import { Failure } from '../../../domain/failure/failure.ts';
import { jsonExcess } from '../json/json-extent.ts';

/** A configuration object with a thousand models is smaller. */
const LARGEST_BODY = 1024 * 1024;

/** Checking an invalid value takes 5 µs and 30 bytes of message. A channel with prices for a thousand models has 8,000 values. */
const MOST_VALUES = 20_000;

/** The bounds of a body that can be sent without a session: a token, a name and a password, or a passkey's signature. */
export const ANYONES_BODY = { mostBytes: 8 * 1024, mostValues: 100 } as const;

/** Searched first: the expression that finds out whether it is an escape takes a third as long as parsing the text. */
const NUL_ESCAPE = '\\u0000';

/** A client that trickles bytes must not hold a connection for hours. */
const LONGEST_MS = 30_000;

export interface InputBounds {
  /** Whether the body may be empty, which counts as `{}`. */
  readonly isOptional: boolean;
  readonly mostBytes?: number;
  /** The most values that the body may have; a list or an object counts as well as its contents. */
  readonly mostValues?: number;
  readonly longestMs?: number;
}

/** Reads the body of a request that is not for a model as a JSON object. */
export async function readInput(
  request: Pick<Request, 'headers' | 'body'>,
  { isOptional, mostBytes = LARGEST_BODY, mostValues = MOST_VALUES, longestMs = LONGEST_MS }: InputBounds,
): Promise<object | Failure> {
  const bytes = await readBytes(request, mostBytes, longestMs);
  if (bytes instanceof Failure) return bytes;
  const text = textOf(bytes);
  if (text instanceof Failure) return text;
  if (text.trim() === '') return isOptional ? {} : emptyBody();
  const type = request.headers.get('content-type');
  if (type !== null && !/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) return notJson(type);
  const excess = excessOf(bytes, mostValues);
  if (excess !== null) return excess;
  // No valid input has a NUL character, and PostgreSQL cannot store it.
  if (text.includes(NUL_ESCAPE) && /(?<!\\)(?:\\\\)*\\u0000/.test(text)) {
    return new Failure('invalid_value', { message: 'The body must not contain a NUL character (`\\u0000`).' });
  }
  try {
    const input: unknown = JSON.parse(text);
    return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : notAnObject();
  } catch {
    return new Failure('invalid_json', { message: 'The body is not valid JSON.' });
  }
}

const DEEPEST = 100;

/**
 * Refuses JSON with more values or deeper nesting than any valid input has: parsing and checking it would block the event loop,
 * and a hundred thousand levels overflow the stack.
 */
function excessOf(bytes: Uint8Array, mostValues: number): Failure | null {
  const excess = jsonExcess(bytes, { mostValues, deepest: DEEPEST });
  if (excess === null) return null;
  if (excess === 'depth') {
    return new Failure('invalid_json', { message: `The body is nested more than ${DEEPEST} levels deep.` });
  }
  return new Failure('payload_too_large', {
    message: `The body has more than ${mostValues} values. Send fewer at a time.`,
  });
}

function notAnObject(): Failure {
  return new Failure('invalid_type', { message: 'The body must be a JSON object.' });
}

async function readBytes(
  { headers, body }: Pick<Request, 'headers' | 'body'>,
  mostBytes: number,
  longestMs: number,
): Promise<Uint8Array | Failure> {
  if (body === null) return new Uint8Array(0);
  if (Number(headers.get('content-length') ?? 0) > mostBytes) return tooLarge(mostBytes);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const reader = body.getReader();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void reader.cancel().catch(() => undefined);
  }, longestMs);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.length;
      if (bytes > mostBytes) {
        void reader.cancel().catch(() => undefined);
        return tooLarge(mostBytes);
      }
      pieces.push(value);
    }
  } finally {
    clearTimeout(timer);
  }
  if (isLate) return new Failure('request_timeout', { message: `The body did not arrive within ${longestMs} ms.` });
  return Buffer.concat(pieces);
}

function textOf(bytes: Uint8Array): string | Failure {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new Failure('invalid_json', { message: 'The body is not valid UTF-8.' });
  }
}

function tooLarge(mostBytes: number): Failure {
  return new Failure('payload_too_large', { message: `The body is larger than ${mostBytes} bytes.` });
}

function emptyBody(): Failure {
  return new Failure('empty_body', { message: 'The request has no body. Send a JSON object.' });
}

function notJson(type: string): Failure {
  const message = `The content type "${type.slice(0, 100)}" is not supported. Send application/json.`;
  return new Failure('unsupported_content_type', { message });
}
