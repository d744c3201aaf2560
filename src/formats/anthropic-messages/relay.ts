import type { Failure } from '../../domain/failure/failure.ts';
import type { AnswerPatch, ParsedRequest, RelayedAnswer } from '../format.ts';
import { appendMember, applyEdits, type Edit, replaceValue, safeParse } from '../shared/json-patch.ts';
import { MemberNames, scanObject } from '../shared/json-scan.ts';
import { decodeFailure } from '../shared/upstream-failure.ts';
import { errorStatus, notAnAnswer, notJson } from './failure.ts';
import { decodeUsage } from './usage.ts';

const REQUEST_MEMBERS = new MemberNames('model');
const ANSWER_MEMBERS = new MemberNames('model', 'usage', 'error', 'content', 'input_tokens', '_routing');

/** The one declared patch of a request of this format is the model id (design, section 3). Every other byte is the client's. */
export function relayRequest(request: ParsedRequest, upstreamModel: string): Uint8Array<ArrayBuffer> {
  const { bytes } = request;
  const object = scanObject(bytes, 0, REQUEST_MEMBERS);
  if (!object) throw new Error('a validated request is a JSON object');
  if (request.model === upstreamModel) return applyEdits(bytes, []);
  return applyEdits(
    bytes,
    object.members.map((member) => replaceValue(member, JSON.stringify(upstreamModel))),
  );
}

/**
 * A message, or the answer to a count: the upstream's bytes with the public model id and `_routing`. A body that is neither,
 * or that carries an error under a 200, is a failure of the upstream.
 */
export function relayAnswer(bytes: Uint8Array, patch: AnswerPatch): RelayedAnswer | Failure {
  const object = scanObject(bytes, 0, ANSWER_MEMBERS);
  if (!object) return notJson();
  const edits: Edit[] = [];
  let usage: unknown = null;
  let isAnswer = false;
  let hasRouting = false;
  let error: unknown = null;
  for (const member of object.members) {
    if (member.name === 'model') edits.push(replaceValue(member, JSON.stringify(patch.publicModel)));
    else if (member.name === 'usage') usage = safeParse(bytes, member);
    else if (member.name === 'error') error = safeParse(bytes, member);
    else if (member.name === '_routing') {
      hasRouting = true;
      edits.push(replaceValue(member, patch.routingJson));
    } else isAnswer = true;
  }
  if (error !== null && !isAnswer) return decodeFailure(errorStatus(error), new Headers(), bytes);
  if (!isAnswer) return notAnAnswer();
  if (!hasRouting) edits.push(appendMember(object, `"_routing":${patch.routingJson}`));
  return { bytes: applyEdits(bytes, edits), usage: decodeUsage(usage) };
}
