import { applyEdits, replaceValue } from '../../../formats/shared/json/json-patch.ts';
import { MemberNames, scanObject } from '../../../formats/shared/json/json-scan.ts';
import { parseJsonBytes } from '../../../formats/shared/json/json-text.ts';
import { isRecord } from '../../../formats/shared/json/record.ts';
import { errorStatus } from '../../../formats/text/anthropic-messages/failure.ts';
import type { ProviderBatches } from '../../../providers/shared/batch-rules.ts';
import type { BatchableRequest } from '../../call/line-relay.ts';

const RESPONSE = new MemberNames('response');
const BODY = new MemberNames('body');
const RESULT = new MemberNames('result');
const CONTENT = new MemberNames('message', 'error');
const LINE_BREAKS = /[\r\n]/;
const MODEL = new MemberNames('model');

/** The paths of lines by their wires. */
const PATHS: Readonly<Record<string, string>> = {
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  'openai-completions': '/v1/completions',
  'openai-embeddings': '/v1/embeddings',
  'openai-moderations': '/v1/moderations',
  'anthropic-messages': '/v1/messages',
};
const WIRES = new Map(Object.entries(PATHS).map(([wire, path]) => [path, wire]));

/** Returns the wire of a batch at the provider. */
export function wireOf(endpoint: string): string {
  return WIRES.get(endpoint) ?? '';
}

/**
 * Returns the path and the body of a request as a line has them; `null` if it cannot be one: a stream, a form, a job, several requests in
 * place of one, headers of its own, or charges beyond the model's prices, which nothing holds.
 */
export function lineRequestOf({ target, lane, prepared, stream }: BatchableRequest, batches: ProviderBatches) {
  const { name } = target.wire;
  const endpoint = batches.wires.includes(name) ? PATHS[name] : undefined;
  const { body, method = 'POST', suffix, more, extras, headers } = prepared;
  if (endpoint === undefined || stream || lane.next !== undefined || lane.continued !== undefined) return null;
  if (method !== 'POST' || suffix !== undefined || more !== undefined || extras !== null) return null;
  const isPlain = headers === null || Object.keys(headers).every((name) => name.toLowerCase() === 'content-type');
  return isPlain && body instanceof Uint8Array ? { endpoint, body } : null;
}

/** Returns the body with the id that the model has in lines. */
export function bodyForLine(
  body: Uint8Array,
  batches: ProviderBatches,
  { model, settings }: { readonly model: string; readonly settings: Readonly<Record<string, unknown>> },
): Uint8Array {
  if (batches.kind !== 'files' || batches.modelOf === undefined) return body;
  const inLines = batches.modelOf(model, settings);
  const member = inLines === model ? undefined : scanObject(body, 0, MODEL)?.members.at(-1);
  return member === undefined ? body : applyEdits(body, [replaceValue(member, JSON.stringify(inLines))]);
}

/** A line as a provider's input has it. */
export interface LineParts {
  readonly customId: string;
  readonly endpoint: string;
  readonly body: Uint8Array;
}

/** Returns a line of the provider's input, without a line break. */
export function lineContent({ customId, endpoint, body }: LineParts, batches: ProviderBatches): Uint8Array {
  const hasRequest = batches.kind === 'files' && batches.line === 'request';
  const head = JSON.stringify({ custom_id: customId, ...(hasRequest && { method: 'POST', url: endpoint }) });
  const text = Buffer.from(body).toString('utf8');
  // JSON has line breaks only between its tokens.
  const flat = LINE_BREAKS.test(text) ? text.replaceAll(/[\r\n]+/g, ' ') : text;
  return Buffer.from(`${head.slice(0, -1)},"${batches.kind === 'messages' ? 'params' : 'body'}":${flat}}`);
}

/** The response to a line. */
export interface LineAnswer {
  readonly status: number;
  /** The body as the provider wrote it. */
  readonly body: Uint8Array;
}

/** A line of the provider's results. */
export interface ResultLine {
  readonly customId: unknown;
  /** `null` if the line was not answered. */
  readonly answer: LineAnswer | null;
}

/** Reads a line of an output or error file in OpenAI's form; `null` if it is none. */
export function readFileResult(bytes: Uint8Array): ResultLine | null {
  const value = parseJsonBytes(bytes);
  if (!isRecord(value)) return null;
  const { custom_id: customId, response } = value;
  const none = { customId, answer: null };
  const span = scanObject(bytes, 0, RESPONSE)?.members.at(-1);
  if (!isRecord(response) || span === undefined) return none;
  const { status_code: status, body } = response;
  if (typeof status !== 'number' || !Number.isInteger(status)) return none;
  // Mistral has the JSON of an error in a string.
  if (typeof body === 'string' && status >= 400) return { customId, answer: { status, body: Buffer.from(body) } };
  const member = isRecord(body) ? scanObject(bytes, span.valueStart, BODY)?.members.at(-1) : undefined;
  if (member === undefined) return none;
  return { customId, answer: { status, body: bytes.slice(member.valueStart, member.valueEnd) } };
}

/** Reads a line of the results of Anthropic's message batches; `null` if it is none. Errors get the status of their type. */
export function readAnthropicResult(bytes: Uint8Array): ResultLine | null {
  const value = parseJsonBytes(bytes);
  if (!isRecord(value)) return null;
  const { custom_id: customId, result } = value;
  const none = { customId, answer: null };
  const span = scanObject(bytes, 0, RESULT)?.members.at(-1);
  if (!isRecord(result) || span === undefined) return none;
  const content = scanObject(bytes, span.valueStart, CONTENT)?.members.at(-1);
  if (content === undefined) return none;
  const body = bytes.slice(content.valueStart, content.valueEnd);
  if (result.type === 'succeeded' && isRecord(result.message)) return { customId, answer: { status: 200, body } };
  if (result.type !== 'errored' || !isRecord(result.error)) return none;
  return { customId, answer: { status: errorStatus(result.error.error), body } };
}
