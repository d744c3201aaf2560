import { MemberNames, type MemberSpan, scanObject } from '../shared/json-scan.ts';
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

/** Notes what the model wrote in one choice's `delta`. */
export function noteDelta(event: Uint8Array, delta: MemberSpan, produced: ProducedText): void {
  const object = scanObject(event, delta.valueStart, DELTA_MEMBERS);
  if (!object) return;
  // Several upstreams send one thought under two or all three of its names.
  let sawThought = false;
  for (const member of object.members) {
    const { name, valueStart } = member;
    if (name === 'content') noteContent(event, member, produced);
    else if (name === 'refusal') produced.addString(event, member);
    else if (name === 'tool_calls')
      eachMember(event, valueStart, CALL_MEMBERS, (call) => noteCall(event, call, produced));
    else if (name === 'function_call') noteCall(event, member, produced);
    else if (!sawThought) {
      const before = produced.bytes;
      if (name !== 'reasoning_details') produced.addString(event, member);
      else eachMember(event, valueStart, DETAIL_MEMBERS, (text) => produced.addString(event, text));
      sawThought = produced.bytes > before;
    }
  }
}

/** A text, or Mistral's chunks, of which a thinking one holds chunks itself. */
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
