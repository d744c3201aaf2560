import type { ServedAs } from '../../../domain/exchange/served-as.ts';
import type { Usage } from '../../../domain/exchange/usage.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { bodyNoAnswer, bodyNotJson } from '../../shared/failure/answer-failure.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { applyEdits, type Edit, replaceValue, safeParse } from '../../shared/json/json-patch.ts';
import {
  isEmptyList,
  isList,
  isNullAt,
  MemberNames,
  type MemberSpan,
  scanObject,
} from '../../shared/json/json-scan.ts';
import type { RelayPatch } from '../client-request.ts';
import type { RelayedAnswer } from '../format.ts';
import { fillIn, inOrder, isUnset, type Needed } from '../shared/fill-in.ts';
import { withSearches } from '../shared/openai-usage.ts';
import { servedAs } from '../shared/served-as.ts';
import { errorStatus } from './failure.ts';
import { decodeUsage, tierOf } from './usage.ts';

const ANSWER_MEMBERS = new MemberNames(
  ...['id', 'type', 'role', 'model', 'usage', 'error', 'content', 'stop_reason', '_routing'],
);

/**
 * Returns a whole message: the upstream's bytes with the public model id and `_routing`. A body that is not a message, or that
 * carries an error under a 200, is a failure of the upstream.
 */
export function relayAnswer(bytes: Uint8Array, patch: RelayPatch): RelayedAnswer | Failure {
  const object = scanObject(bytes, 0, ANSWER_MEMBERS);
  if (!object) return bodyNotJson();
  const edits: Edit[] = [];
  let usage: unknown = null;
  let model: unknown = null;
  let content: MemberSpan | null = null;
  let hasReason = false;
  let more = `"_routing":${patch.routing.json}`;
  let error: unknown = null;
  for (const member of object.members) {
    if (member.name === 'model') {
      model = safeParse(bytes, member);
      if (!isUnset(bytes, member)) edits.push(replaceValue(member, JSON.stringify(patch.publicModel)));
    } else if (member.name === 'usage') usage = safeParse(bytes, member);
    else if (member.name === 'error') error = safeParse(bytes, member);
    else if (member.name === '_routing') {
      more = '';
      edits.push(replaceValue(member, patch.routing.json));
    } else if (member.name === 'content') content = member;
    else if (member.name === 'stop_reason') hasReason = !isNullAt(bytes, member.valueStart);
  }
  // A model may stop without any output. The answer then has a stop reason.
  const isAnswer = content !== null && isList(bytes, content) && (hasReason || !isEmptyList(bytes, content));
  if (error !== null && !isAnswer) return decodeFailure(errorStatus(error), new Headers(), bytes);
  if (!isAnswer || content === null) return bodyNoAnswer();
  const needed = { ...neededOfMessage(patch), stop_reason: () => stopReason(bytes, content) };
  edits.push(...fillIn(bytes, object, needed, { more }));
  return {
    bytes: applyEdits(bytes, inOrder(edits)),
    usage: usageOf(bytes, usage, content),
    served: servedOf(model, usage),
  };
}

/** Returns the members that clients need in a message. */
export function neededOfMessage({ publicModel, newId }: RelayPatch): Needed {
  return {
    id: () => JSON.stringify(newId('msg_')),
    type: () => '"message"',
    role: () => '"assistant"',
    model: () => JSON.stringify(publicModel),
  };
}

const TOOL_USE = Buffer.from('"tool_use"');

/** Returns the reason for a message that states none: clients run the tools of a message that ended with `tool_use`. */
function stopReason(bytes: Uint8Array, { valueStart, valueEnd }: MemberSpan): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + valueStart, valueEnd - valueStart);
  return text.includes(TOOL_USE) ? '"tool_use"' : '"end_turn"';
}

const SERVER_TOOL = Buffer.from('"server_tool_use"');

/** Returns the usage. The content blocks are parsed only if they may contain searches that the usage does not count. */
function usageOf(bytes: Uint8Array, reported: unknown, content: MemberSpan | null): Usage | null {
  const usage = decodeUsage(reported);
  if (usage === null || usage.webSearches !== undefined || content === null) return usage;
  const { valueStart, valueEnd } = content;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + valueStart, valueEnd - valueStart);
  return text.includes(SERVER_TOOL) ? withSearches(usage, safeParse(bytes, content)) : usage;
}

export function servedOf(model: unknown, usage: unknown): ServedAs {
  return servedAs(model, tierOf(usage).serviceTier);
}
