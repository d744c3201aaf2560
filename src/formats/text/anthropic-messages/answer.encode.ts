import { endingInText, FoundationCollector, isFounded } from '../../../domain/exchange/foundation.ts';
import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { Part, ReasoningPart, TextPart, ToolCallPart } from '../../../domain/exchange/part.ts';
import { isReasoningOff } from '../../../domain/exchange/reasoning.ts';
import type { ExchangeResponse, Finish, FinishReason } from '../../../domain/exchange/response.ts';
import { parseObject } from '../../shared/json/json-text.ts';
import type { AnswerPatch } from '../../wire.ts';
import type { AnswerContext } from '../client-request.ts';
import { lostMediaText } from '../shared/lost-parts.ts';
import { stateForField, wrapFoundation, wrapThought } from '../shared/state-token.ts';
import { isCall, isKnownEnd } from './answer.decode.ts';
import { encodeCitation } from './citations.ts';
import { FORMAT } from './schema.ts';
import { encodeUsage } from './usage.ts';

/** Returns the message as JSON text. The format can hold only the first candidate. Images and audio are described in words. */
export function encodeAnswer(response: ExchangeResponse, context: AnswerContext): string {
  const [candidate] = response.candidates;
  const parts = candidate?.parts ?? [];
  const finish = candidate?.finish ?? { unified: 'other', raw: null };
  const words = stopWords(finish, {
    hasCalls: parts.some(isCall),
    hasRefusal: parts.some(({ type }) => type === 'refusal'),
  });
  const id = JSON.stringify(answerId(response.id, context));
  const model = JSON.stringify(context.publicModel);
  const content = encodeBlocks(parts, thoughtsFor(context)).join(',');
  const usage = encodeUsage(response.usage, response.serviceTier ?? null);
  return `{"id":${id},"type":"message","role":"assistant","model":${model},"content":[${content}],${words},"container":null,"usage":${usage},"_routing":${context.routing.json}}`;
}

/**
 * Returns an id that begins with `msg_`, like Anthropic's. Another provider's id is replaced, because clients may check the
 * prefix.
 */
export function answerId(id: string | null, context: AnswerContext): string {
  return id?.startsWith('msg_') ? id : context.newId('msg_');
}

/**
 * Returns which thinking a client sees: none unless it asked for thinking; blocks without their text if it asked for that
 * (`display: "omitted"`).
 */
export function thoughtsFor({ request: { reasoning } }: AnswerContext): 'shown' | 'omitted' | 'hidden' {
  if (reasoning === null || isReasoningOff(reasoning)) return 'hidden';
  if (reasoning.enabled !== true && !reasoning.adaptive) return 'hidden';
  return reasoning.summary === 'none' ? 'omitted' : 'shown';
}

/**
 * Blocks as JSON texts. The part of a call's foundation that the client does not see (its state and hidden thinking) goes
 * before the call in a redacted block. The state of the last text goes before that text if the client expects thinking
 * there. Otherwise only the gateway remembers it, because nothing may follow the text.
 */
function encodeBlocks(parts: readonly Part[], thoughts: ReturnType<typeof thoughtsFor>): string[] {
  const blocks: string[] = [];
  const foundations = new FoundationCollector();
  let words = 0;
  const say = (block: string, state?: OpaqueState, length = 0) => {
    foundations.said(state, length);
    words = blocks.length;
    blocks.push(block);
  };
  for (const part of endingInText(parts)) {
    switch (part.type) {
      case 'text':
        if (part.text !== '' || part.citations !== undefined) say(textBlock(part), part.state, part.text.length);
        else if (part.state !== undefined) foundations.said(part.state);
        break;
      case 'refusal':
        if (part.text !== '') say(JSON.stringify({ type: 'text', text: part.text, citations: null }));
        break;
      case 'reasoning':
        if (thoughts === 'hidden') foundations.thought(part);
        else blocks.push(...thoughtBlock(part, thoughts));
        break;
      case 'tool-call': {
        const foundation = foundations.call(part.state);
        if (isFounded(foundation)) blocks.push(redactedBlock(wrapFoundation(foundation)));
        blocks.push(`${callHead(part.id, part.name)},"input":${argumentsJson(part)}}`);
        break;
      }
      case 'unknown':
        if (part.format === FORMAT) blocks.push(JSON.stringify(part.value));
        break;
      case 'image':
      case 'audio':
      case 'video':
      case 'document':
        say(JSON.stringify({ type: 'text', text: lostMediaText(part), citations: null }));
        break;
      default:
    }
  }
  const last = foundations.call(undefined);
  if (thoughts !== 'hidden' && isFounded(last)) blocks.splice(words, 0, redactedBlock(wrapFoundation(last)));
  return blocks;
}

function textBlock({ text, citations: all }: TextPart): string {
  const citations = all?.map(encodeCitation).filter((citation) => citation !== null) ?? [];
  return JSON.stringify({ type: 'text', text, citations: citations.length === 0 ? null : citations });
}

function thoughtBlock(part: ReasoningPart, thoughts: 'shown' | 'omitted'): string[] {
  if (part.redacted && part.text === '') {
    return part.state === undefined ? [] : [redactedBlock(stateForField(part.state, 'anthropic'))];
  }
  const isShown = thoughts === 'shown';
  if (part.state === undefined && (!isShown || part.text === '')) return [];
  const thinking = isShown ? part.text : '';
  return [JSON.stringify({ type: 'thinking', thinking, signature: signatureOf(part, isShown) })];
}

/** Returns a thinking block's `signature`. It contains the text if the block does not show it. */
export function signatureOf({ state, ...part }: ReasoningPart, isShown: boolean): string {
  if (state === undefined) return '';
  return isShown || part.text === '' ? stateForField(state, 'anthropic') : wrapThought({ ...part, state });
}

export function redactedBlock(data: string): string {
  return `{"type":"redacted_thinking","data":${JSON.stringify(data)}}`;
}

/** Returns the members of a call except its input, without the closing brace. */
export function callHead(id: string, name: string): string {
  const head = { type: 'tool_use', id, name, caller: { type: 'direct' } };
  return JSON.stringify(head).slice(0, -1);
}

/**
 * Returns the arguments as an object, which the wire requires. Other arguments (a custom tool's text, broken JSON) are put into
 * an object as a text, so that the client sees what the model wrote.
 */
export function argumentsJson({ arguments: text, custom }: Pick<ToolCallPart, 'arguments' | 'custom'>): string {
  if (custom === true) return JSON.stringify({ input: text });
  if (hasNoArguments(text)) return '{}';
  return parseObject(text) !== null ? text : JSON.stringify({ arguments: text });
}

/** Returns whether a tool was called without arguments, for which models also write `null`. */
export function hasNoArguments(text: string): boolean {
  const trimmed = text.trim();
  return trimmed === '' || trimmed === 'null';
}

const STOP_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  pause: 'pause_turn',
  other: 'end_turn',
};

/** Returns `stop_reason`, `stop_sequence` and `stop_details` as JSON members. */
export function stopWords(
  finish: Finish,
  { hasCalls, hasRefusal }: { hasCalls: boolean; hasRefusal: boolean },
): string {
  const sequence = finish.stopSequence ?? null;
  return `"stop_reason":${JSON.stringify(stopReason(finish, sequence, hasCalls, hasRefusal))},"stop_sequence":${JSON.stringify(sequence)},"stop_details":null`;
}

export function stopReason(
  { raw, unified }: Finish,
  sequence: string | null,
  hasCalls: boolean,
  hasRefusal: boolean,
): string {
  if (raw !== null && isKnownEnd(raw)) return raw;
  if (hasRefusal) return 'refusal';
  if (unified === 'stop' && hasCalls) return 'tool_use';
  return unified === 'stop' && sequence !== null ? 'stop_sequence' : STOP_REASONS[unified];
}

/** Returns the answer to a count request, with a mark if the number is the gateway's own estimate. */
export function encodeTokenCount(tokens: number, estimated: boolean, { routing }: AnswerPatch): string {
  return `{"input_tokens":${tokens}${estimated ? ',"estimated":true' : ''},"_routing":${routing.json}}`;
}
