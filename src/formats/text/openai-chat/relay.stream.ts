import { isCutOff } from '../../../domain/exchange/response.ts';
import type { ParsedRequest, RelayPatch } from '../../format.ts';
import { type Edit, removeMembers, replaceValue, safeParse } from '../../shared/json/json-patch.ts';
import {
  isEmptyList,
  isList,
  MemberNames,
  type MemberSpan,
  type ObjectSpan,
  scanObject,
  skipWhitespace,
} from '../../shared/json/json-scan.ts';
import { isRecord } from '../../shared/json/record.ts';
import { membersOf } from '../../shared/request/body.ts';
import { finishOf, rawFinish } from '../shared/choice-answer.ts';
import { type ChoiceDialect, usageEdits } from '../shared/choice-relay.ts';
import { ChoiceStreamRelay } from '../shared/choice-stream-relay.ts';
import { fillIn } from '../shared/fill-in.ts';
import { isCacheMark } from './content.decode.ts';
import { isSilent, noteDelta } from './produced.ts';
import { ChatCallWatch } from './relay-calls.ts';

const REQUEST_MEMBERS = new MemberNames('model', 'stream_options', 'cache_control');

/**
 * Returns the declared patches of a chat request (design, section 3): the model id; `stream_options.include_usage`, if the client
 * streams and did not ask for usage itself; and the removal of a `cache_control` that belongs to the gateway (contract, Cache),
 * because OpenAI and others refuse this member. Every other byte stays as the client sent it.
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

const MESSAGE_MEMBERS = new MemberNames('role', 'content', 'tool_calls');
const CALL_MEMBERS = new MemberNames('id', 'type', 'function');
const FUNCTION_MEMBERS = new MemberNames('arguments');

/** Gives a message its role and content, and each of its calls an id, a type and arguments. */
function completeMessage(bytes: Uint8Array, choice: ObjectSpan, patch: RelayPatch) {
  const edits: Edit[] = [];
  const said = choice.members.find(({ name }) => name === 'message');
  const message = said === undefined ? null : scanObject(bytes, said.valueStart, MESSAGE_MEMBERS);
  if (message === null) return { edits, hasCalls: false };
  const hasContent = message.members.some(({ name }) => name === 'content');
  edits.push(...fillIn(bytes, message, { role: '"assistant"' }, { more: hasContent ? '' : '"content":null' }));
  const calls = message.members.find(({ name }) => name === 'tool_calls');
  if (calls === undefined || !isList(bytes, calls)) return { edits, hasCalls: false };
  const ended = choice.members.find(({ name }) => name === 'finish_reason');
  const raw = rawFinish({ finish_reason: ended === undefined ? null : safeParse(bytes, ended) });
  const isWhole = !isCutOff(finishOf(raw, true));
  let at = calls.valueStart;
  for (;;) {
    const call = scanObject(bytes, at + 1, CALL_MEMBERS);
    if (!call) return { edits, hasCalls: !isEmptyList(bytes, calls) };
    edits.push(...callEdits(bytes, call, patch, isWhole));
    at = skipWhitespace(bytes, call.end);
  }
}

function callEdits(bytes: Uint8Array, call: ObjectSpan, { newId }: RelayPatch, isWhole: boolean): Edit[] {
  const called = call.members.find(({ name }) => name === 'function');
  const said = called === undefined ? null : scanObject(bytes, called.valueStart, FUNCTION_MEMBERS);
  // The input of a custom tool is text and may be empty.
  if (said === null) return [];
  const id = () => JSON.stringify(newId('call_'));
  return [
    ...fillIn(bytes, call, { id, type: '"function"' }),
    // Clients parse the arguments of every call and run it, so a call that was cut off stays as it is.
    ...(isWhole ? fillIn(bytes, said, { arguments: '"{}"' }) : []),
  ];
}

/** The choice of a chat completion holds a message; the choice of a chunk holds a piece of it. */
export const dialect: ChoiceDialect = {
  chunkObject: 'chat.completion.chunk',
  wholeObject: 'chat.completion',
  idPrefix: 'chatcmpl-',
  wholeMembers: new MemberNames('message', 'finish_reason', 'index'),
  completeChoice: completeMessage,
  chunkMembers: new MemberNames('index', 'finish_reason', 'delta'),
  note: (event, { valueStart }, produced) => noteDelta(event, valueStart, produced),
  // Some servers write a `message` into their chunks.
  hasContent: ({ delta, message }) => [delta, message].some((said) => isRecord(said) && !isSilent(said)),
  emptyMembers: '"delta":{}',
  neededOfChunk: { delta: () => '{}', finish_reason: () => 'null' },
  watchCalls: () => new ChatCallWatch(),
};

export class ChatStreamRelay extends ChoiceStreamRelay {
  constructor(request: ParsedRequest, patch: RelayPatch) {
    super(dialect, request, patch);
  }
}
