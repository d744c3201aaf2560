import { PROMPT_PARTS } from '../../../domain/money/cost-parts.ts';
import { formatNanoUsd, parseNanoUsd } from '../../../domain/money/nano-usd.ts';
import { appendMember, applyEdits, applyEditsTo, type Edit, removeMembers } from '../../shared/json/json-patch.ts';
import { isNullAt, MemberNames, type MemberSpan, type ObjectSpan, scanObject } from '../../shared/json/json-scan.ts';
import { isRecord } from '../../shared/json/record.ts';
import { joinPieces, withMember } from '../../shared/stream/relay-pieces.ts';

/*
 * The cost in `usage`, where OpenRouter's API has it for requests with `usage: {"include": true}`: `cost` and `cost_details` are numbers
 * in USD. Prompt and completion are parts of what the account pays here, and what the upstream bills is never told.
 */

type Bytes = Uint8Array<ArrayBuffer>;

const OUTER = new MemberNames('usage', 'response');
const USAGE = new MemberNames('usage');
const INPUT_TOKENS = new MemberNames('input_tokens');
const UPSTREAM_COST = new MemberNames('cost', 'cost_details', 'is_byok');
const utf8 = new TextEncoder();
const LINE_FEED = 0x0a;
const OPENING_BRACE = 0x7b;
const SPACE = 0x20;
/** The white space of JSON. */
const WHITE_SPACE: ReadonlySet<number> = new Set([SPACE, 0x09, LINE_FEED, 0x0d]);
const DATA = utf8.encode('data:');

/** Returns whether a request's `usage` is OpenRouter's option. */
export function isUsageOption(usage: unknown): boolean {
  return isRecord(usage) && typeof usage.include === 'boolean';
}

/** Returns whether the request asks for the usage of a stream as OpenAI's clients do. */
export function includesUsage({ stream_options: options }: Readonly<Record<string, unknown>>): boolean {
  return isRecord(options) && options.include_usage === true;
}

/** Returns whether the request asks for the cost as OpenRouter's clients do. */
export function wantsUsageCost({ usage }: Readonly<Record<string, unknown>>): boolean {
  return isRecord(usage) && usage.include === true;
}

/** Returns a body that asks for the cost. One that has a `usage`, or that is not a JSON object, stays as it is. */
export function askingForCost(body: Uint8Array): Uint8Array | Promise<Uint8Array> {
  const object = scanObject(body, 0, USAGE);
  if (object === null || object.members.length > 0) return body;
  return applyEditsTo(body, [appendMember(object, '"usage":{"include":true}')]);
}

/** Returns the edits that remove `"usage":null` from a chunk. */
export function nullUsageEdits(event: Uint8Array, object: ObjectSpan): readonly Edit[] {
  const empty = object.members.filter(({ name, valueStart }) => name === 'usage' && isNullAt(event, valueStart));
  return empty.length === 0 ? [] : removeMembers(event, object, empty).edits;
}

/**
 * Returns a whole answer, or the last events of a stream, with the cost in the last `usage`. `costJson` is the text from
 * domain/money/cost-parts.ts; if it is `null`, the upstream's own cost is removed. Without a `usage` the bytes stay as they are.
 */
export function withUsageCost(answer: Uint8Array | string, costJson: string | null): Uint8Array {
  const bytes = typeof answer === 'string' ? utf8.encode(answer) : answer;
  const members = costJson === null ? null : usageMembersOf(costJson);
  // Some providers send blank lines before their answer, which keep the connection open.
  const first = bytes.findIndex((byte) => !WHITE_SPACE.has(byte));
  if (bytes[first] === OPENING_BRACE) return costInObject(bytes, first, members) ?? bytes;
  // The usage is in the last event that has one: the others are content, or the end mark.
  for (let end = bytes.length; end > 0; ) {
    const start = end < 2 ? 0 : bytes.lastIndexOf(LINE_FEED, end - 2) + 1;
    const data = DATA.every((byte, index) => bytes[start + index] === byte) ? start + DATA.length : end;
    // The space after the colon is optional.
    const at = bytes[data] === SPACE ? data + 1 : data;
    const changed = at < end && bytes[at] === OPENING_BRACE ? costInObject(bytes, at, members) : null;
    if (changed !== null) return changed;
    end = start;
  }
  return bytes;
}

type Members = readonly (readonly [name: string, json: string])[];

interface UsageMembers {
  readonly ofChoices: Members;
  /** Responses name the two parts after their own tokens. */
  readonly ofResponse: Members;
}

function usageMembersOf(costJson: string): UsageMembers {
  // The gateway has written this text itself.
  const cost = JSON.parse(costJson) as Readonly<Record<string, string>>;
  let prompt = 0n;
  for (const part of PROMPT_PARTS) prompt += nanoUsdOf(cost[part]);
  const completion = nanoUsdOf(cost.total_usd) - prompt;
  const named = (input: string, output: string): Members => [
    ['cost', cost.total_usd ?? '0'],
    ['is_byok', 'false'],
    [
      'cost_details',
      `{"upstream_inference_cost":null,"upstream_inference_${input}_cost":${formatNanoUsd(prompt)},` +
        `"upstream_inference_${output}_cost":${formatNanoUsd(completion)}}`,
    ],
  ];
  return { ofChoices: named('prompt', 'completions'), ofResponse: named('input', 'output') };
}

function nanoUsdOf(usd = '0'): bigint {
  const parsed = parseNanoUsd(usd);
  return parsed.ok ? parsed.amountNanoUsd : 0n;
}

/** Returns all bytes with the cost in the `usage` of the object at `at`, or of its `response`; `null` if there is none. */
function costInObject(bytes: Uint8Array, at: number, members: UsageMembers | null): Uint8Array | null {
  const object = scanObject(bytes, at, OUTER);
  if (object === null) return null;
  const named = (name: string): MemberSpan | undefined => object.members.find((member) => member.name === name);
  const usage = named('usage');
  if (usage !== undefined && bytes[usage.valueStart] === 0x7b) {
    let value: Bytes = bytes.slice(usage.valueStart, usage.valueEnd);
    if (members === null) {
      const own = scanObject(value, 0, UPSTREAM_COST);
      if (own !== null && own.members.length > 0)
        value = applyEdits(value, removeMembers(value, own, own.members).edits);
      return joinPieces([bytes.subarray(0, usage.valueStart), value, bytes.subarray(usage.valueEnd)]);
    }
    const isOfResponse = (scanObject(value, 0, INPUT_TOKENS)?.members.length ?? 0) > 0;
    for (const [name, json] of isOfResponse ? members.ofResponse : members.ofChoices)
      value = withMember(value, name, json);
    return joinPieces([bytes.subarray(0, usage.valueStart), value, bytes.subarray(usage.valueEnd)]);
  }
  const response = named('response');
  return response === undefined || bytes[response.valueStart] !== 0x7b
    ? null
    : costInObject(bytes, response.valueStart, members);
}
