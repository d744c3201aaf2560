import { MemberNames, type MemberSpan, scanObject } from '../../shared/json/json-scan.ts';
import { eachMember, type ProducedText } from '../shared/produced-text.ts';

const DELTA_MEMBERS = new MemberNames(
  'content',
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'refusal',
  'tool_calls',
  'function_call',
);
const CONTENT_MEMBERS = new MemberNames('text', 'thinking');
const DETAIL_MEMBERS = new MemberNames('text', 'summary');
const CALL_MEMBERS = new MemberNames('function', 'custom');
const FUNCTION_MEMBERS = new MemberNames('name', 'arguments', 'input');
const QUOTE = 0x22;

/** Records the model's output in one choice's `delta`, which begins at `start`. Returns whether it includes a tool call. */
export function noteDelta(event: Uint8Array, start: number, produced: ProducedText): boolean {
  const object = scanObject(event, start, DELTA_MEMBERS);
  if (!object) return false;
  let hasCalls = false;
  // Several upstreams send the same reasoning text under two or all three of its names.
  let sawThought = false;
  for (const member of object.members) {
    const { name, valueStart } = member;
    if (name === 'content') noteContent(event, member, produced);
    else if (name === 'refusal') produced.addString(event, member);
    else if (name === 'tool_calls' || name === 'function_call') {
      const before = produced.bytes;
      if (name === 'function_call') noteCall(event, member, produced);
      else eachMember(event, valueStart, CALL_MEMBERS, (call) => noteCall(event, call, produced));
      if (produced.bytes > before) hasCalls = true;
    } else if (!sawThought) {
      const before = produced.bytes;
      if (name !== 'reasoning_details') produced.addString(event, member);
      else eachMember(event, valueStart, DETAIL_MEMBERS, (text) => produced.addString(event, text));
      sawThought = produced.bytes > before;
    }
  }
  return hasCalls;
}

/** Notes a text, or Mistral's chunks. A thinking chunk itself holds chunks. */
function noteContent(event: Uint8Array, member: MemberSpan, produced: ProducedText): void {
  if (event[member.valueStart] === QUOTE) produced.addString(event, member);
  else
    eachMember(event, member.valueStart, CONTENT_MEMBERS, (text) => {
      if (text.name === 'text') produced.addString(event, text);
      else noteContent(event, text, produced);
    });
}

function noteCall(event: Uint8Array, call: MemberSpan, produced: ProducedText): void {
  const members = scanObject(event, call.valueStart, FUNCTION_MEMBERS)?.members ?? [];
  for (const member of members) produced.addString(event, member);
}

/** Returns whether a delta holds only a role and members without a value. */
export function isSilent(delta: Readonly<Record<string, unknown>>): boolean {
  for (const key in delta) {
    const value = delta[key];
    if (key === 'role' || value === null || value === '') continue;
    if (typeof value !== 'object' || Object.keys(value).length > 0) return false;
  }
  return true;
}
