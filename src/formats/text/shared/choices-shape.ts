import { Failure } from '../../../domain/failure/failure.ts';
import type { Edit } from '../../shared/json/json-patch.ts';
import { isNullAt, type MemberSpan, scanObject, skipWhitespace } from '../../shared/json/json-scan.ts';
import { readEnd } from './choice-answer.ts';
import type { ChoiceDialect } from './choice-relay.ts';
import { fillIn } from './fill-in.ts';
import type { ProducedText } from './produced-text.ts';

/** An empty string `""`, which servers without optional members write as the reason in every chunk. */
const EMPTY_STRING = 2;

export type ChoicesShape = 'none' | 'going-on' | 'finished';

/** The state of a stream's choices so far. */
export interface SeenChoices {
  /** The highest index. */
  last: number;
  hasCalls: boolean;
  /** Whether the latest chunk has calls. */
  calledNow: boolean;
  /** Edits of the latest chunk's choices: missing members, and finish reasons that no client knows. */
  fills: Edit[];
  /** Set if a choice has ended for a reason that makes the answer a failure. */
  failure: Failure | null;
}

/** Returns whether a chunk's choices are absent or empty, still going on, or at least one of them has its finish reason. */
export function choicesShape(
  dialect: ChoiceDialect,
  event: Uint8Array,
  start: number,
  produced: ProducedText,
  seen: SeenChoices,
): ChoicesShape {
  let shape: ChoicesShape = 'none';
  let at = start;
  seen.calledNow = false;
  for (let position = 0; ; position++) {
    // Starts after the opening bracket or a comma; anything but an object ends the array or is ignored.
    const choice = scanObject(event, at + 1, dialect.chunkMembers);
    if (!choice) return shape;
    if (shape === 'none') shape = 'going-on';
    if (seen.last < 0) seen.last = 0;
    let reason: MemberSpan | null = null;
    for (const member of choice.members) {
      const { name, valueStart, valueEnd } = member;
      if (name === 'index') {
        // Nearly all indexes have one digit; with more than ten choices, each reports its own end.
        const index = (event[valueStart] ?? 0) - ZERO;
        if (valueEnd - valueStart === 1 && index > seen.last) seen.last = index;
      } else if (name !== 'finish_reason') seen.calledNow = dialect.note(event, member, produced) || seen.calledNow;
      else if (!isNullAt(event, valueStart) && valueEnd - valueStart > EMPTY_STRING) {
        shape = 'finished';
        reason = member;
      }
    }
    seen.hasCalls ||= seen.calledNow;
    if (reason !== null) noteEnd(event, reason, produced, seen);
    if (choice.members.length < CHOICE_MEMBERS) {
      const index = () => String(position);
      seen.fills.push(...fillIn(event, choice, { ...dialect.neededOfChunk, index }, { replacesUnset: false }));
    }
    at = skipWhitespace(event, choice.end);
  }
}

function noteEnd(event: Uint8Array, reason: MemberSpan, produced: ProducedText, seen: SeenChoices): void {
  const end = readEnd(event, reason, () => produced.bytes === 0 && !seen.hasCalls);
  if (end instanceof Failure) seen.failure = end;
  else if (end !== null) seen.fills.push(end);
}

/** The number of examined members of a chunk's choice, all of which it should have. */
const CHOICE_MEMBERS = 3;
const ZERO = 0x30;
