import { safeParse } from '../../shared/json/json-patch.ts';
import { MemberNames, type MemberSpan, scanObject } from '../../shared/json/json-scan.ts';
import { isRecord } from '../../shared/json/record.ts';
import { drawnByItem } from '../shared/drawn-images.ts';
import { isHostedSearch } from '../shared/openai-usage.ts';
import type { ProducedText } from '../shared/produced-text.ts';

const OPENING_TYPES: ReadonlySet<unknown> = new Set([
  ...['response.created', 'response.queued', 'response.in_progress'],
]);
const ADDED = /^response\.(output_item|content_part|reasoning_summary_part)\.added$/;

/**
 * Returns whether an event carries a part of the answer. Events that only open a response, an item or a part of one, and unknown
 * events, carry none.
 */
export function hasContent(event: Readonly<Record<string, unknown>>): boolean {
  const { type, item, part, delta } = event;
  if (typeof type !== 'string' || !type.startsWith('response.') || OPENING_TYPES.has(type)) return false;
  if (delta === '') return false;
  if (!ADDED.test(type)) return true;
  return saysMore(isRecord(item) ? item : isRecord(part) ? part : {});
}

/** Returns whether an item or part has more than its kind. The kind of an item such as a call is itself significant. */
function saysMore({ type, content, summary, encrypted_content, text, refusal }: Readonly<Record<string, unknown>>) {
  if (typeof type === 'string' && !PLAIN_TYPES.has(type)) return true;
  return [content, summary, encrypted_content, text, refusal].some(
    (value) => (typeof value === 'string' || Array.isArray(value)) && value.length > 0,
  );
}

const PLAIN_TYPES: ReadonlySet<string> = new Set([
  ...['message', 'reasoning', 'output_text', 'refusal', 'summary_text', 'reasoning_text'],
]);

const ITEM_MEMBERS = new MemberNames('name');

/** Notes the name of a call whose item the model has begun. The other content of an item comes in deltas. */
export function noteItem(event: Uint8Array, item: MemberSpan, produced: ProducedText): void {
  for (const name of scanObject(event, item.valueStart, ITEM_MEMBERS)?.members ?? []) produced.addString(event, name);
}

const DONE_MEMBERS = new MemberNames('type', 'action', 'status', 'size', 'quality', 'revised_prompt', 'result');
const IMAGE_CALL = Buffer.from('image_generation_call');

/** Records a completed item if it is a search that the provider ran, or an image that its tool drew. */
export function noteBilledCall(event: Uint8Array, item: MemberSpan, produced: ProducedText): void {
  const members = scanObject(event, item.valueStart, DONE_MEMBERS)?.members ?? [];
  const type = members.find(({ name }) => name === 'type');
  // Only a call of the image tool has an image; other items' results may be megabytes and are not parsed.
  const isImage = type !== undefined && IMAGE_CALL.equals(event.subarray(type.valueStart + 1, type.valueEnd - 1));
  const wanted = isImage ? members : members.filter(({ name }) => name === 'type' || name === 'action');
  const values = Object.fromEntries(wanted.map((one) => [one.name, safeParse(event, one)]));
  if (isHostedSearch(values)) produced.webSearches++;
  produced.addDrawn(drawnByItem(values));
}
