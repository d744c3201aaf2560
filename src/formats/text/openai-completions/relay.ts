import { type Edit, removeMembers, replaceValue } from '../../shared/json/json-patch.ts';
import { MemberNames, type MemberSpan } from '../../shared/json/json-scan.ts';
import { membersOf } from '../../shared/request/body.ts';
import type { ParsedRequest } from '../client-request.ts';
import { type ChoiceDialect, usageEdits } from '../shared/choice-relay.ts';
import { includesUsage, isUsageOption } from '../shared/usage-cost.ts';

const REQUEST_MEMBERS = new MemberNames('model', 'stream_options', 'usage');

/**
 * Returns the declared patches: the model id, `stream_options.include_usage` if the client streams and did not ask for usage (unless
 * `asksUsage` is false), and the removal of OpenRouter's `usage`, which the gateway serves itself.
 */
export function relayEdits(request: ParsedRequest, upstreamModel: string, asksUsage = true): readonly Edit[] {
  const object = membersOf(request, REQUEST_MEMBERS);
  const edits: Edit[] = [];
  let streamOptions: MemberSpan | null = null;
  for (const member of object.members) {
    if (member.name === 'stream_options') streamOptions = member;
    else if (member.name === 'usage') {
      if (isUsageOption(request.body.usage)) edits.push(...removeMembers(request.bytes, object, [member]).edits);
    } else if (request.body.model !== upstreamModel) edits.push(replaceValue(member, JSON.stringify(upstreamModel)));
  }
  if (request.stream && asksUsage && !includesUsage(request.body))
    edits.push(...usageEdits(request.bytes, object, streamOptions));
  edits.sort((left, right) => left.start - right.start);
  return edits;
}

/** A choice holds its text, in chunks as in whole answers. */
export const dialect: ChoiceDialect = {
  chunkObject: 'text_completion',
  wholeObject: 'text_completion',
  idPrefix: 'cmpl-',
  wholeMembers: new MemberNames('text', 'finish_reason', 'index'),
  completeChoice: () => ({ edits: [], hasCalls: false }),
  chunkMembers: new MemberNames('index', 'finish_reason', 'text'),
  note(event, text, produced) {
    produced.addString(event, text);
    return false;
  },
  hasContent: ({ text }) => typeof text === 'string' && text !== '',
  emptyMembers: '"text":"","logprobs":null',
  neededOfChunk: { text: () => '""', finish_reason: () => 'null' },
};
