import { createHash } from 'node:crypto';
import type { BatchError, LineOutcome } from '../../domain/batches/batch.ts';
import { MemberNames, scanObject } from '../../formats/shared/json/json-scan.ts';
import { parseJsonBytes } from '../../formats/shared/json/json-text.ts';
import { isRecord } from '../../formats/shared/json/record.ts';

/** OpenAI's bound is not documented; ids of this length fit every client's. */
const LONGEST_CUSTOM_ID = 512;
const BODY = new MemberNames('body');

/** A line of an input file that can be run. */
export interface BatchLine {
  readonly customId: string;
  /** The request's body as the client wrote it, byte for byte. */
  readonly body: Uint8Array;
  /** `null` if the body names none. */
  readonly model: string | null;
  readonly stream: boolean;
}

/** Reads a line, or returns what is wrong with it. `endpoint` is that of the batch. */
export function readLine(bytes: Uint8Array, endpoint: string, number: number): BatchLine | BatchError {
  const wrong = (code: string, message: string, param: string | null): BatchError => ({
    ...{ code, message, param },
    line: number,
  });
  const value = parseJsonBytes(bytes);
  if (!isRecord(value)) return wrong('invalid_json_line', 'This line is not a JSON object.', null);
  const { custom_id: customId, method, url, body } = value;
  if (typeof customId !== 'string' || customId === '' || customId.length > LONGEST_CUSTOM_ID) {
    const rule = `must be a text of 1 to ${LONGEST_CUSTOM_ID} characters`;
    return wrong('missing_required_parameter', `\`custom_id\` ${rule}.`, 'custom_id');
  }
  if (method !== 'POST') return wrong('invalid_method', '`method` must be `POST`.', 'method');
  if (url !== endpoint) {
    return wrong('mismatched_endpoint', `\`url\` must be the batch's endpoint, \`${endpoint}\`.`, 'url');
  }
  const span = scanObject(bytes, 0, BODY)?.members.at(-1);
  if (!isRecord(body) || span === undefined) return wrong('invalid_body', '`body` must be an object.', 'body');
  const model = typeof body.model === 'string' ? body.model : null;
  const content = bytes.subarray(span.valueStart, span.valueEnd);
  return { customId, body: content, model, stream: body.stream === true };
}

export function isLineError(line: BatchLine | BatchError): line is BatchError {
  return 'code' in line;
}

const EMPTY = 0n;
const FEWEST_SLOTS = 1_024;

/**
 * Finds ids that occur twice. It keeps eight bytes of each id's hash in a table that is at most half full, so 100,000 ids take two megabytes
 * and leave nothing to collect.
 */
export class SeenIds {
  private slots = new BigUint64Array(FEWEST_SLOTS);
  private count = 0;

  /** The number of different ids. */
  get size(): number {
    return this.count;
  }

  /** Returns whether the id was seen before. */
  isKnown(id: string): boolean {
    if (this.count * 2 >= this.slots.length) this.grow();
    const hash = BigInt(Bun.hash(id)) || 1n;
    const slot = slotOf(this.slots, hash);
    if (this.slots[slot] === hash) return true;
    this.slots[slot] = hash;
    this.count++;
    return false;
  }

  private grow(): void {
    const larger = new BigUint64Array(this.slots.length * 2);
    for (const hash of this.slots) if (hash !== EMPTY) larger[slotOf(larger, hash)] = hash;
    this.slots = larger;
  }
}

/** Returns the slot with the hash, or the free one where it belongs. */
function slotOf(slots: BigUint64Array, hash: bigint): number {
  const mask = slots.length - 1;
  let slot = Number(BigInt.asUintN(32, hash)) & mask;
  while (slots[slot] !== EMPTY && slots[slot] !== hash) slot = (slot + 1) & mask;
  return slot;
}

/** The outcome of a line that was run. `body` is the response as JSON. */
export interface RunLine {
  readonly batchId: string;
  readonly number: number;
  readonly customId: string;
  readonly requestId: string;
  readonly status: number;
  readonly body: string;
}

/** Returns the line of the output or error file for a response, as OpenAI writes it. */
export function resultLine({ batchId, number, customId, requestId, status, body }: RunLine): string {
  const head = JSON.stringify({ id: lineId(batchId, number), custom_id: customId });
  const response = JSON.stringify({ status_code: status, request_id: requestId });
  // A body on several lines would end the line; JSON has line breaks only between its tokens.
  const flat = /[\r\n]/.test(body) ? body.replaceAll(/[\r\n]+/g, ' ') : body;
  return `${head.slice(0, -1)},"response":${response.slice(0, -1)},"body":${flat}},"error":null}`;
}

const MESSAGES: Partial<Record<LineOutcome, string>> = {
  expired: 'This request could not be executed before the completion window expired.',
  cancelled: 'This request was not executed, because the batch was cancelled.',
};

/** Returns the line of the error file for a request that was never run. */
export function unrunLine(batchId: string, number: number, customId: string, outcome: LineOutcome): string {
  const error = { code: `batch_${outcome}`, message: MESSAGES[outcome] ?? 'This request was not executed.' };
  return JSON.stringify({ id: lineId(batchId, number), custom_id: customId, response: null, error });
}

/** Returns the id of a line's request within its batch, which is the same each time. */
function lineId(batchId: string, number: number): string {
  return `batch_req_${createHash('sha256').update(`${batchId} ${number}`).digest('hex').slice(0, 32)}`;
}
