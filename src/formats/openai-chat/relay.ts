import type { Failure } from '../../domain/failure/failure.ts';
import type { AnswerPatch, ParsedRequest, RelayedAnswer } from '../format.ts';
import { bodyNotJson, saidInAnswer } from '../shared/answer-failure.ts';
import { appendMember, applyEdits, type Edit, replaceValue, safeParse } from '../shared/json-patch.ts';
import { isNullAt, MemberNames, type MemberSpan, type ObjectSpan, scanObject } from '../shared/json-scan.ts';
import { isRecord } from '../shared/record.ts';
import { decodeUsage } from './usage.ts';

const REQUEST_MEMBERS = new MemberNames('model', 'stream_options');
const INCLUDE_USAGE = new MemberNames('include_usage');
const ANSWER_MEMBERS = new MemberNames('model', 'usage', 'error', 'choices', '_routing');

/**
 * The declared patches of a chat request (design, section 3): the model id, and `stream_options.include_usage` where the
 * client streams and did not ask for usage itself. Every other byte is the client's.
 */
export function relayRequest(request: ParsedRequest, upstreamModel: string): Uint8Array<ArrayBuffer> {
  const { bytes } = request;
  const object = scanObject(bytes, 0, REQUEST_MEMBERS);
  if (!object) throw new Error('a validated chat request is a JSON object');
  const edits: Edit[] = [];
  let streamOptions: MemberSpan | null = null;
  for (const member of object.members) {
    if (member.name === 'stream_options') streamOptions = member;
    else if (request.model !== upstreamModel) edits.push(replaceValue(member, JSON.stringify(upstreamModel)));
  }
  if (request.stream && !request.wantsStreamUsage) edits.push(...usageEdits(bytes, object, streamOptions));
  edits.sort((left, right) => left.start - right.start);
  return applyEdits(bytes, edits);
}

function usageEdits(bytes: Uint8Array, object: ObjectSpan, streamOptions: MemberSpan | null): Edit[] {
  if (!streamOptions) return [appendMember(object, '"stream_options":{"include_usage":true}')];
  if (isNullAt(bytes, streamOptions.valueStart)) return [replaceValue(streamOptions, '{"include_usage":true}')];
  const options = scanObject(bytes, streamOptions.valueStart, INCLUDE_USAGE);
  if (!options) return [];
  if (options.members.length > 0) return options.members.map((member) => replaceValue(member, 'true'));
  return [appendMember(options, '"include_usage":true')];
}

/**
 * A whole answer: the upstream's bytes with the public model id and `_routing`. A body that is no JSON object, or that
 * carries an error under a 200, is a failure of the upstream.
 */
export function relayAnswer(bytes: Uint8Array, patch: AnswerPatch): RelayedAnswer | Failure {
  const object = scanObject(bytes, 0, ANSWER_MEMBERS);
  if (!object) return bodyNotJson();
  const edits: Edit[] = [];
  let usage: unknown = null;
  let hasChoices = false;
  let hasRouting = false;
  for (const member of object.members) {
    if (member.name === 'model') {
      if (!isEmptyString(member)) edits.push(replaceValue(member, JSON.stringify(patch.publicModel)));
    } else if (member.name === 'choices') hasChoices = true;
    else if (member.name === 'usage') usage = safeParse(bytes, member);
    else if (member.name === 'error') {
      const failure = errorInAnswer(safeParse(bytes, member));
      if (failure && !hasChoices) return failure;
    } else {
      hasRouting = true;
      edits.push(replaceValue(member, patch.routingJson));
    }
  }
  if (!hasRouting) edits.push(appendMember(object, `"_routing":${patch.routingJson}`));
  return { bytes: applyEdits(bytes, edits), usage: decodeUsage(usage) };
}

/**
 * An `error` member inside an answer or a chunk that came with a 200, as OpenRouter and others send it when the model
 * behind them fails. `null` if the value says nothing.
 */
export function errorInAnswer(value: unknown): Failure | null {
  return saidInAnswer(isRecord(value) ? value.message : value);
}

/** Azure's first chunk, with the content filter's verdict, names no model; it is to be told from an answer's chunk by that. */
export function isEmptyString(member: MemberSpan): boolean {
  return member.valueEnd - member.valueStart === 2;
}
