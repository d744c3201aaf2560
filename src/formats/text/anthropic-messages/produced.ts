import { equalAt, MemberNames, type MemberSpan, scanObject } from '../../shared/json/json-scan.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { ProducedText } from '../shared/produced-text.ts';

/**
 * Returns whether an event carries a part of the answer: output of the model, or the reason why there is none. Events that only
 * open a message or a block, or that close a block, carry none. An event whose type is only in its name line counts as content.
 */
export function hasContent(event: Readonly<Record<string, unknown>>): boolean {
  const { type, delta, content_block: block } = event;
  if (typeof type !== 'string') return true;
  if (type === 'content_block_delta') return isRecord(delta) && saysMore(delta);
  if (type === 'content_block_start') return isRecord(block) && saysMore(block);
  return type === 'message_delta' && isRecord(delta) && isText(delta.stop_reason);
}

/** Returns whether a block or a delta has more than its type. The kind of a block such as a call is itself significant. */
function saysMore({ type, ...members }: Readonly<Record<string, unknown>>): boolean {
  if (type !== 'text' && type !== 'thinking' && typeof type === 'string' && !type.endsWith('_delta')) return true;
  return Object.values(members).some((value) => isText(value) || isFilled(value));
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

const BLOCK_MEMBERS = new MemberNames('delta', 'content_block');
const DELTA_MEMBERS = new MemberNames('text', 'thinking', 'partial_json');
/**
 * A call's name, and the content that compatible servers put into the start event. `input` is empty there and arrives in deltas.
 */
const START_MEMBERS = new MemberNames('name', 'text', 'thinking', 'type');
const SERVER_TOOL = new TextEncoder().encode('"server_tool_use"');
const WEB_SEARCH = new TextEncoder().encode('"web_search"');
const LINE_FEED = 0x0a;
const DATA = new TextEncoder().encode('data: ');

/** Notes the model's output in a `content_block_…` event, whose name line is known to come first. */
export function noteBlockEvent(event: Uint8Array, produced: ProducedText): void {
  const data = event.indexOf(LINE_FEED) + 1;
  const object = scanObject(event, data + DATA.length, BLOCK_MEMBERS);
  for (const member of object?.members ?? []) noteBlock(event, member, produced);
}

/** Notes the model's output in an event's `delta` or `content_block`. */
export function noteBlock(event: Uint8Array, { name, valueStart }: MemberSpan, produced: ProducedText): void {
  const object = scanObject(event, valueStart, name === 'delta' ? DELTA_MEMBERS : START_MEMBERS);
  let isServers = false;
  let isSearch = false;
  for (const member of object?.members ?? []) {
    if (member.name === 'type') isServers = isWord(event, member, SERVER_TOOL);
    else produced.addString(event, member);
    if (member.name === 'name') isSearch = isWord(event, member, WEB_SEARCH);
  }
  if (isServers && isSearch) produced.webSearches++;
}

function isWord(event: Uint8Array, { valueStart, valueEnd }: MemberSpan, word: Uint8Array): boolean {
  return valueEnd - valueStart === word.length && equalAt(event, valueStart, word);
}
