import type { Feature } from '../../../domain/exchange/loss.ts';
import { type Reasons, reasonsAt } from '../../../domain/exchange/reasoning.ts';
import { type Edit, removeMembers, replaceValue } from '../../shared/json/json-patch.ts';
import { MemberNames, type MemberSpan } from '../../shared/json/json-scan.ts';
import { isRecord } from '../../shared/json/record.ts';
import { membersOf } from '../../shared/request/body.ts';
import type { ParsedRequest } from '../client-request.ts';
import type { BodyTest } from '../format.ts';
import { type Quirk, quirkOf, quirksOf, type ReasoningField, type ThinkingStyle } from '../quirk.ts';
import { isBeyond } from '../shared/apply-quirks.ts';
import { usageEdits } from '../shared/choice-relay.ts';
import { anyOf, effortBreach, hasRecord, recordsIn, translatableLacks } from '../shared/relay-breach.ts';
import { includesUsage, isUsageOption } from '../shared/usage-cost.ts';
import { isCacheMark } from './content.decode.ts';
import { hasForeignMember } from './encoding.ts';
import { fields } from './fields.ts';
import { REASONING_MEMBERS } from './reasoning.decode.ts';
import { mustStopThinking } from './reasoning.encode.ts';

type Json = Readonly<Record<string, unknown>>;

/** See `ClientFormat.relayBreach`. */
export function relayBreach(quirks: readonly Quirk[]): BodyTest | null {
  const lacks = translatableLacks(quirks);
  const inMessage = messageBreach(quirks);
  const inOrder = orderBreach(quirks);
  return anyOf([
    effortBreach(quirks, ({ reasoning_effort }) => reasoning_effort),
    ...quirksOf(quirks, 'tools-at-rest').map((quirk) => toolsWhileReasoning(quirk.while)),
    quirkOf(quirks, 'unforced-while-thinking') && ((body: Json) => mustStopThinking(body, quirks)),
    inMessage !== null && (({ messages }: Json) => hasRecord(messages, inMessage)),
    inOrder !== null && (({ messages }: Json) => inOrder([...recordsIn(messages)])),
    lacks.has('json-mode') && (({ response_format }: Json) => hasType(response_format, 'json_object')),
    lacks.has('json-schema') && (({ response_format }: Json) => hasType(response_format, 'json_schema')),
    lacks.has('tool-choice-allowed') && (({ tool_choice }: Json) => hasType(tool_choice, 'allowed_tools')),
    lacks.has('tool-choice-named') && (({ tool_choice }: Json) => hasType(tool_choice, 'function')),
    lacks.has('tool-choice-required') && (({ tool_choice }: Json) => tool_choice === 'required'),
    styleBreach(quirks),
    closedBreach(quirks),
    ...quirksOf(quirks, 'bounds').map((quirk) => (body: Json) => isBeyond(body, quirk)),
    quirks.some(({ kind }) => kind === 'function-parameters') &&
      (({ tools }: Json) => hasRecord(tools, isWithoutParameters)),
    lacks.has('strict-tools') &&
      (({ tools }: Json) => hasRecord(tools, ({ function: made }) => isRecord(made) && made.strict === true)),
  ]);
}

function isWithoutParameters({ function: declared }: Json): boolean {
  return isRecord(declared) && declared.parameters === undefined;
}

function toolsWhileReasoning(reasons: Reasons): BodyTest {
  return ({ tools, functions, reasoning_effort }) =>
    (hasRecord(tools, () => true) || hasRecord(functions, () => true)) && reasonsAt(reasoning_effort, reasons);
}

/** The members that control thinking in each style. */
const OF_STYLE: Readonly<Record<ThinkingStyle, ReadonlySet<string>>> = {
  effort: new Set(['reasoning_effort', 'include_reasoning']),
  'thinking-type': new Set(['thinking', 'reasoning_effort']),
  'enable-thinking': new Set(['enable_thinking', 'thinking_budget']),
  'reasoning-object': new Set(['reasoning', 'reasoning_effort', 'include_reasoning']),
  'template-arguments': new Set(['chat_template_kwargs', 'reasoning_effort']),
};

/** A model whose thinking cannot be controlled accepts none. */
const NO_MEMBERS: ReadonlySet<string> = new Set();

/** Returns a test for reasoning options in another provider's style. */
function styleBreach(quirks: readonly Quirk[]): BodyTest | null {
  const style = quirkOf(quirks, 'thinking-switch')?.style;
  if (style === undefined && !translatableLacks(quirks).has('reasoning-effort')) return null;
  const own = style === undefined ? NO_MEMBERS : OF_STYLE[style];
  const others = REASONING_MEMBERS.filter((member) => !own.has(member));
  return (body) => others.some((member) => (body[member] ?? null) !== null);
}

/** Returns a test for members that the provider refuses, apart from those that the relay lane patches. */
function closedBreach(quirks: readonly Quirk[]): BodyTest | null {
  const closed = quirkOf(quirks, 'closed');
  if (closed === undefined) return null;
  const lacks = translatableLacks(quirks);
  const patched = [
    ...quirksOf(quirks, 'rename').map(({ from }) => from),
    ...quirksOf(quirks, 'omit').map(({ field }) => field),
    ...Object.keys(fields).filter((name) => lacks.has(fields[name] as Feature)),
    'session_id',
  ];
  const known = { ...closed, members: [...closed.members, ...patched] };
  return (body) => hasForeignMember(body, known);
}

function hasType(value: unknown, type: string): boolean {
  return isRecord(value) && value.type === type;
}

/** Returns a test for one message. */
function messageBreach(quirks: readonly Quirk[]): ((message: Json) => boolean) | null {
  const lacks = translatableLacks(quirks);
  const roles = new Set<unknown>(quirksOf(quirks, 'role').map(({ from }) => from));
  const ids = quirkOf(quirks, 'tool-call-ids');
  const isBadId = (id: unknown) => ids !== undefined && typeof id === 'string' && !ids.pattern.test(id);
  const urls = URL_MEMBERS.flatMap(([feature, member]) => (lacks.has(feature) ? [member] : []));
  const isBadPart = (part: Json) => urls.some((member) => isFetched(part[member]));
  const reasoning = quirkOf(quirks, 'reasoning-input');
  const required = reasoning?.isRequired === true ? reasoning.field : null;
  const tests = [
    roles.size > 0 && (({ role }: Json) => roles.has(role)),
    lacks.has('participant-name') && (({ name, role }: Json) => name !== undefined && role !== 'tool'),
    ids !== undefined &&
      (({ tool_calls, tool_call_id }: Json) => isBadId(tool_call_id) || hasRecord(tool_calls, ({ id }) => isBadId(id))),
    urls.length > 0 && (({ content }: Json) => hasRecord(content, isBadPart)),
    reasoning !== undefined && ((message: Json) => hasOtherReasoning(message, reasoning.field)),
    required !== null && ((message: Json) => message.role === 'assistant' && typeof message[required] !== 'string'),
  ];
  return anyOf(tests);
}

const REASONING_IN = ['reasoning_content', 'reasoning', 'reasoning_details'] as const;

/** Returns whether a message has its reasoning in a different member than the provider's. */
function hasOtherReasoning(message: Json, field: ReasoningField): boolean {
  if (message.role !== 'assistant' || (message[field] ?? null) !== null) return false;
  return REASONING_IN.some((member) => member !== field && (message[member] ?? null) !== null);
}

const URL_MEMBERS = [
  ['image-url', 'image_url'],
  ['audio-url', 'audio_url'],
  ['video-url', 'video_url'],
  ['document-url', 'document_url'],
  ['document-url', 'file_url'],
] as const;

/** Returns whether a part has an address that the provider would have to fetch. */
function isFetched(media: unknown): boolean {
  const url = isRecord(media) ? media.url : media;
  return typeof url === 'string' && /^https?:/i.test(url);
}

/** Returns a test for the order of the messages. */
function orderBreach(quirks: readonly Quirk[]): ((messages: readonly Json[]) => boolean) | null {
  const rules = new Set(quirksOf(quirks, 'message-order').map(({ rule }) => rule));
  const prefill = quirkOf(quirks, 'prefill');
  const isSystemFirst = translatableLacks(quirks).has('system-prompt-midway');
  if (rules.size === 0 && prefill === undefined && !isSystemFirst) return null;
  return (messages) => {
    const last = messages.at(-1);
    const isPrefill = last?.role === 'assistant' && last.tool_calls === undefined;
    if (prefill !== undefined && isPrefill && last[prefill.member] === undefined) return true;
    return messages.some(({ role, tool_calls }, index) => {
      const before = messages[index - 1];
      if (before === undefined) return false;
      if (isSystemFirst && (role === 'system' || role === 'developer')) return true;
      if (rules.has('answered-results') && role === 'user' && before.role === 'tool') return true;
      if (!rules.has('alternating') || role !== before.role) return false;
      return role === 'user' || (role === 'assistant' && tool_calls === undefined);
    });
  };
}

const REQUEST_MEMBERS = new MemberNames('model', 'stream_options', 'cache_control', 'usage');

/**
 * Returns the declared patches of a chat request (design, section 3): the model id; `stream_options.include_usage`, if the client
 * streams and did not ask for usage itself (unless `asksUsage` is false); and the removal of what belongs to the gateway, a
 * `cache_control` (contract, Cache) and OpenRouter's `usage`, because OpenAI and others refuse these members. Every other byte stays as
 * the client sent it.
 */
export function relayEdits(request: ParsedRequest, upstreamModel: string, asksUsage = true): readonly Edit[] {
  const { bytes, body } = request;
  const own: MemberSpan[] = [];
  const object = membersOf(request, REQUEST_MEMBERS);
  const edits: Edit[] = [];
  let streamOptions: MemberSpan | null = null;
  for (const member of object.members) {
    if (member.name === 'stream_options') streamOptions = member;
    else if (member.name === 'cache_control') {
      if (!isCacheMark(body.cache_control)) own.push(member);
    } else if (member.name === 'usage') {
      if (isUsageOption(body.usage)) own.push(member);
    } else if (body.model !== upstreamModel) edits.push(replaceValue(member, JSON.stringify(upstreamModel)));
  }
  if (own.length > 0) edits.push(...removeMembers(bytes, object, own).edits);
  if (request.stream && asksUsage && !includesUsage(body)) edits.push(...usageEdits(bytes, object, streamOptions));
  edits.sort((left, right) => left.start - right.start);
  return edits;
}
