import { Failure } from '../../../domain/failure/failure.ts';
import { keepText } from '../json/exact-json.ts';
import { type MemberNames, type ObjectSpan, scanObject } from '../json/json-scan.ts';
import { LargeJson, PIECE_BYTES, Turns } from '../json/large-json.ts';
import type { NameTable } from '../json/name-table.ts';
import { isRecord } from '../json/record.ts';
import { BodyScan, type BodySource, type ReadBody } from './body-scan.ts';
import type { GovernedNames } from './governed-names.ts';
import type { ChangingValue } from './scan-levels.ts';

export { LARGE_BODY_BYTES } from '../json/large-json.ts';

const SCANNED_AT_ONCE = 256 * 1024;

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export interface ParsedBody {
  readonly bytes: Uint8Array;
  readonly body: Readonly<Record<string, unknown>>;
  readonly scan: BodyScan;
}

/**
 * Parses a request body as a JSON object. `needed` names the members that every request has, for the error message; `mostValues`
 * limits the number of values.
 */
export function parseBody(
  source: BodySource,
  needed: string,
  names: GovernedNames,
  mostValues?: number,
): ParsedBody | Failure {
  const read = source instanceof Uint8Array ? readAtOnce(source, needed, names, mostValues) : source;
  if (read instanceof Failure) return read;
  const { bytes, value, scan } = read;
  if (!isRecord(value)) {
    return new Failure('invalid_type', { message: 'The request body must be a JSON object.' });
  }
  return names.check(value, scan) ?? { bytes, body: value, scan };
}

function readAtOnce(sent: Uint8Array, needed: string, names: GovernedNames, mostValues?: number): ReadBody | Failure {
  if (sent.length === 0) {
    return new Failure('empty_body', {
      message: `The request has no body. Send a JSON object with at least ${needed}.`,
    });
  }
  return readScanned(scanned(withoutByteOrderMark(sent), names.table, mostValues));
}

/** Scans the bytes of a body that is read at once. */
export function scanned(bytes: Uint8Array, table: NameTable, mostValues?: number): BodyScan {
  const scan = new BodyScan(bytes, 0, null, table, mostValues);
  scan.run(bytes.length);
  return scan;
}

/** Parses a body that has been scanned. */
export function readScanned(scan: BodyScan): ReadBody | Failure {
  if (scan.failure !== null) return scan.failure;
  const { bytes } = scan;
  try {
    // The parser reports where broken JSON ends; up to there it is within the bounds.
    const value: unknown = JSON.parse(strictUtf8.decode(bytes));
    if (scan.isBroken) return notJson('unreadable');
    for (const part of scan.changing) keepPart(value, bytes, part);
    return { bytes, value, scan };
  } catch (error) {
    return unreadable(error);
  }
}

/** Reads a body of more than `LARGE_BODY_BYTES` in slices of a few milliseconds. */
export async function readLargeBody(
  sent: Uint8Array,
  table: NameTable | null = null,
  mostValues?: number,
): Promise<ReadBody | Failure> {
  const bytes = withoutByteOrderMark(sent);
  const longValues = new Map<number, number>();
  const scan = new BodyScan(bytes, PIECE_BYTES, longValues, table, mostValues);
  const turns = new Turns();
  while (!scan.isDone) {
    scan.run(scan.position + SCANNED_AT_ONCE);
    if (turns.isOver) await turns.next();
  }
  if (scan.failure !== null) return scan.failure;
  if (scan.isBroken) return notJson(`there is an error near byte ${scan.position}`);
  try {
    const value = await new LargeJson(bytes, longValues, turns).read(0);
    for (const part of scan.changing) {
      keepPart(value, bytes, part);
      if (turns.isOver) await turns.next();
    }
    return { bytes, value, scan };
  } catch (error) {
    return unreadable(error);
  }
}

/** A larger part would keep other requests waiting, so its numbers are only as exact as a double. */
const MOST_KEPT_BYTES = 1024 * 1024;

function keepPart(body: unknown, bytes: Uint8Array, { path, start, end }: ChangingValue): void {
  if (end - start > MOST_KEPT_BYTES) return;
  const value = path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    body,
  );
  keepText(value, strictUtf8.decode(bytes.subarray(start, end)));
}

function unreadable(error: unknown): Failure {
  if (error instanceof SyntaxError) return notJson(error.message.replace(/^JSON Parse error: /, '').slice(0, 200));
  return new Failure('invalid_json', { message: 'The request body is not valid UTF-8.' });
}

function notJson(reason: string): Failure {
  return new Failure('invalid_json', { message: `The request body is not valid JSON: ${reason}.` });
}

/** Removes a byte order mark, which is not part of the text (RFC 8259, section 8.1). A second one is invalid JSON. */
function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

interface Scanned {
  readonly bytes: Uint8Array;
  readonly scan?: BodyScan;
}

/** Returns the members of a request's body as they are in its bytes. Uses the first scan if the bytes are still the same. */
export function membersOf({ bytes, scan }: Scanned, wanted: MemberNames): ObjectSpan {
  const object = scan?.bytes === bytes ? scan.object(wanted) : scanObject(bytes, 0, wanted);
  if (!object) throw new Error('a validated request is a JSON object');
  return object;
}
