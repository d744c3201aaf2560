import { MemberNames, type MemberSpan, scanObject } from '../../shared/json/json-scan.ts';
import { eachMember, type ProducedText } from '../shared/produced-text.ts';

const CONTENT_MEMBERS = new MemberNames('parts');
const PART_MEMBERS = new MemberNames('text', 'functionCall', 'executableCode');
const CALL_MEMBERS = new MemberNames('name', 'args', 'partialArgs');
const PARTIAL_MEMBERS = new MemberNames('stringValue', 'numberValue');
const CODE_MEMBERS = new MemberNames('code');

/** The length of `{}`. */
const EMPTY_OBJECT = 2;

/** Notes the model's output in a candidate's `content`. */
export function noteContent(event: Uint8Array, content: MemberSpan, produced: ProducedText): void {
  for (const parts of scanObject(event, content.valueStart, CONTENT_MEMBERS)?.members ?? []) {
    eachMember(event, parts.valueStart, PART_MEMBERS, (member) => notePart(event, member, produced));
  }
}

function notePart(event: Uint8Array, member: MemberSpan, produced: ProducedText): void {
  if (member.name === 'text') {
    produced.addString(event, member);
    return;
  }
  const wanted = member.name === 'functionCall' ? CALL_MEMBERS : CODE_MEMBERS;
  for (const inner of scanObject(event, member.valueStart, wanted)?.members ?? []) {
    // A call without arguments has no argument text to count.
    if (inner.name === 'args') {
      if (inner.valueEnd - inner.valueStart > EMPTY_OBJECT) produced.addJson(event, inner);
    } else if (inner.name === 'partialArgs') notePartialArgs(event, inner, produced);
    else produced.addString(event, inner);
  }
}

function notePartialArgs(event: Uint8Array, args: MemberSpan, produced: ProducedText): void {
  eachMember(event, args.valueStart, PARTIAL_MEMBERS, (value) => {
    if (value.name === 'stringValue') produced.addString(event, value);
    else produced.addJson(event, value);
  });
}
