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
 * The declared patches of a chat request (design, section 3): the model id, `stream_options.include_usage` where the
 * client streams and did not ask for usage itself, and no `cache_control` that is the gateway's own (contract, Cache), which
 * OpenAI and others refuse by name. Every other byte is the client's.
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

/** A chat completion's choice holds a message, and a chunk's a piece of it. */
export const dialect: ChoiceDialect = {
  chunkObject: 'chat.completion.chunk',
  wholeMembers: new MemberNames('message', 'finish_reason'),
  chunkMembers: new MemberNames('index', 'finish_reason', 'delta'),
  note: (event, { valueStart }, produced) => noteDelta(event, valueStart, produced),
  hasContent: ({ delta }) => isRecord(delta) && !isSilent(delta),
  emptyMembers: '"delta":{}',
};

export class ChatStreamRelay extends ChoiceStreamRelay {
  constructor(request: ParsedRequest, patch: AnswerPatch) {
    super(dialect, request, patch);
  }
}
