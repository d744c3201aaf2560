import type { AnswerPatch, ParsedRequest } from '../format.ts';
import { membersOf } from '../shared/body.ts';
import { type ChoiceDialect, ChoiceStreamRelay, usageEdits } from '../shared/choice-relay.ts';
import { type Edit, removeMembers, replaceValue } from '../shared/json-patch.ts';
import { MemberNames, type MemberSpan } from '../shared/json-scan.ts';
import { isRecord } from '../shared/record.ts';
import { isCacheMark } from './blocks.ts';
import { isSilent, noteDelta } from './produced.ts';

const REQUEST_MEMBERS = new MemberNames('model', 'stream_options', 'cache_control');

/**
 * The declared patches of a chat request (design, section 3): the model id; `stream_options.include_usage`, if the client
 * streams and did not ask for usage itself; and the removal of a `cache_control` that belongs to the gateway (contract,
 * Cache), because OpenAI and others refuse this member. Every other byte stays as the client sent it.
 */
export function relayEdits(request: ParsedRequest, upstreamModel: string): readonly Edit[] {
  const { bytes } = request;
  const object = membersOf(request, REQUEST_MEMBERS);
  const edits: Edit[] = [];
  let streamOptions: MemberSpan | null = null;
  for (const member of object.members) {
    if (member.name === 'stream_options') streamOptions = member;
    else if (member.name === 'cache_control') {
      if (!isCacheMark(request.body.cache_control)) edits.push(...removeMembers(bytes, object, [member]).edits);
    } else if (request.model !== upstreamModel) edits.push(replaceValue(member, JSON.stringify(upstreamModel)));
  }
  if (request.stream && !request.wantsStreamUsage) edits.push(...usageEdits(bytes, object, streamOptions));
  edits.sort((left, right) => left.start - right.start);
  return edits;
}

/** The choice of a chat completion holds a message; the choice of a chunk holds a piece of it. */
export const dialect: ChoiceDialect = {
  chunkObject: 'chat.completion.chunk',
  wholeMembers: new MemberNames('message', 'finish_reason'),
  chunkMembers: new MemberNames('index', 'finish_reason', 'delta'),
  note: (event, { valueStart }, produced) => noteDelta(event, valueStart, produced),
  // Some servers write a `message` into their chunks.
  hasContent: ({ delta, message }) => [delta, message].some((said) => isRecord(said) && !isSilent(said)),
  emptyMembers: '"delta":{}',
};

export class ChatStreamRelay extends ChoiceStreamRelay {
  constructor(request: ParsedRequest, patch: AnswerPatch) {
    super(dialect, request, patch);
  }
}
