import type { MediaPart, Part, ToolCallPart } from '../../../domain/exchange/part.ts';
import type { Candidate, ExchangeResponse, Finish, TokenLogprob } from '../../../domain/exchange/response.ts';
import type { AnswerContext } from '../client-request.ts';
import { encodeUsage } from '../shared/openai-usage.ts';
import { type SealedThought, stateForField } from '../shared/state-token.ts';
import { annotationJson } from './citations.ts';
import { dataUri, typeOfMedia } from './media.ts';
import { detailsJson, sealedJson, showsThoughts } from './reasoning.ts';
import { FORMAT } from './schema.ts';

/**
 * The service tiers in OpenAI's document. A provider's own tier name is left out, because clients accept only these values.
 */
const TIERS = new Set(['auto', 'default', 'flex', 'scale', 'priority', 'fast']);

const AUDIO_LIFE_SECONDS = 3_600;

/** Returns a whole answer as a `chat.completion`, JSON text. */
export function encodeAnswer(response: ExchangeResponse, context: AnswerContext): string {
  const created = response.created ?? context.created;
  const choices = response.candidates.map((candidate) => choiceJson(candidate, created, context));
  const { usage, serviceTier } = response;
  return (
    `{"id":${JSON.stringify(answerId(response.id, context))},"object":"chat.completion","created":${created},` +
    `"model":${JSON.stringify(context.publicModel)},"choices":[${choices.join(',')}]` +
    (usage === null ? '' : `,"usage":${encodeUsage(usage)}`) +
    tierJson(serviceTier) +
    `,"_routing":${context.routing.json}}`
  );
}

/** Returns the upstream's own id if it has this format's prefix, otherwise a new id. */
export function answerId(id: string | null, context: AnswerContext): string {
  return id?.startsWith('chatcmpl-') ? id : context.newId('chatcmpl-');
}

export function tierJson(tier: string | null | undefined): string {
  return typeof tier === 'string' && TIERS.has(tier) ? `,"service_tier":"${tier}"` : '';
}

/** Returns whether the client declares the old `functions`, and so reads calls only from `function_call`. */
export function usesFunctions({ parsed: { body } }: AnswerContext): boolean {
  return Array.isArray(body.functions) && body.functions.length > 0 && !Array.isArray(body.tools);
}

function choiceJson(candidate: Candidate, created: number, context: AnswerContext): string {
  const message = messageJson(candidate.parts, created, context);
  const hasCalls = candidate.parts.some((part) => part.type === 'tool-call');
  const reason = finishReason(candidate.finish, hasCalls, usesFunctions(context));
  const logprobs = candidate.logprobs === undefined ? 'null' : logprobsJson(candidate.logprobs);
  return `{"index":${candidate.index},"message":${message},"logprobs":${logprobs},"finish_reason":"${reason}"}`;
}

/** Returns one of OpenAI's five finish reasons. A client of this format runs tool calls only after it has seen `tool_calls`. */
export function finishReason({ unified }: Finish, hasCalls: boolean, asFunctions: boolean): string {
  if (unified === 'length') return 'length';
  if (unified === 'content-filter') return 'content_filter';
  if (unified === 'tool-calls' || hasCalls) return asFunctions ? 'function_call' : 'tool_calls';
  return 'stop';
}

export function logprobsJson(logprobs: readonly TokenLogprob[]): string {
  const content = logprobs.map(({ token, logprob, bytes, top }) => ({ token, logprob, bytes, top_logprobs: top }));
  return `{"content":${JSON.stringify(content)},"refusal":null}`;
}

function messageJson(parts: readonly Part[], created: number, context: AnswerContext): string {
  const gathered = gather(parts, showsThoughts(context));
  const { text, refusal, thoughts, details, annotations, images, audio, calls } = gathered;
  const spoken = audio !== null;
  let json = `{"role":"assistant","content":${text === null || spoken ? 'null' : JSON.stringify(text)}`;
  json += `,"refusal":${refusal === null ? 'null' : JSON.stringify(refusal)}`;
  if (thoughts !== '') json += `,"reasoning_content":${JSON.stringify(thoughts)}`;
  if (details.length > 0) json += `,"reasoning_details":[${details.join(',')}]`;
  if (annotations.length > 0) json += `,"annotations":[${annotations.join(',')}]`;
  if (images.length > 0) json += `,"images":[${images.join(',')}]`;
  if (audio !== null) json += `,"audio":${audioJson(audio, text ?? '', created, context)}`;
  if (calls.length > 0) json += callsMember(calls, usesFunctions(context));
  return `${json}}`;
}

interface Gathered {
  text: string | null;
  refusal: string | null;
  thoughts: string;
  readonly details: string[];
  readonly annotations: string[];
  readonly images: string[];
  audio: MediaPart | null;
  readonly calls: ToolCallPart[];
}

function gather(parts: readonly Part[], isShown: boolean): Gathered {
  const found: Gathered = {
    text: null,
    refusal: null,
    thoughts: '',
    details: [],
    annotations: [],
    images: [],
    audio: null,
    calls: [],
  };
  for (const part of parts) {
    if (part.type !== 'reasoning' || isShown) add(part, found);
    else push(sealedJson(part, found.details.length), found);
  }
  return found;
}

function add(part: Part, found: Gathered): void {
  switch (part.type) {
    case 'text': {
      const base = found.text?.length ?? 0;
      if (part.state) addDetails({ type: 'reasoning', text: '', state: part.state }, found);
      for (const citation of part.citations ?? []) {
        const annotation = annotationJson(citation, base);
        if (annotation !== null) found.annotations.push(annotation);
      }
      found.text = (found.text ?? '') + part.text;
      break;
    }
    case 'reasoning':
      found.thoughts += part.text;
      if (part.state) addDetails({ ...part, state: part.state }, found);
      break;
    case 'refusal':
      found.refusal = (found.refusal ?? '') + part.text;
      break;
    case 'tool-call':
      found.calls.push(part);
      break;
    case 'image':
      found.images.push(imageJson(part, found.images.length));
      break;
    case 'audio':
      found.audio = part;
      break;
    case 'unknown':
      if (part.format === FORMAT) found.annotations.push(...annotationOf(part.value));
      break;
    default:
  }
}

function addDetails(thought: SealedThought, found: Gathered): void {
  push(detailsJson(thought, found.details.length), found);
}

function push(items: string, { details }: Gathered): void {
  if (items !== '') details.push(items);
}

/**
 * Returns annotation kinds that only some providers send, such as OpenRouter's for files. They are passed on to clients of this
 * format.
 */
export function annotationOf(value: unknown): readonly string[] {
  const isAnnotation = typeof value === 'object' && value !== null && 'type' in value && value.type === 'file';
  return isAnnotation ? [JSON.stringify(value)] : [];
}

/** Returns an image in OpenRouter's shape. */
export function imageJson(part: MediaPart, index: number): string {
  const { source } = part;
  const url =
    source.kind === 'base64' ? dataUri(typeOfMedia(part), source.data) : source.kind === 'url' ? source.url : '';
  return `{"type":"image_url","index":${index},"image_url":{"url":${JSON.stringify(url)}}}`;
}

export function audioJson(
  { source, state }: MediaPart,
  transcript: string,
  created: number,
  context: AnswerContext,
): string {
  const id = state?.family === 'openai-chat' && state.data !== '' ? state.data : context.newId('audio_');
  const data = source.kind === 'base64' ? source.data : '';
  return JSON.stringify({ id, data, expires_at: created + AUDIO_LIFE_SECONDS, transcript });
}

function callsMember(calls: readonly ToolCallPart[], asFunctions: boolean): string {
  const [first] = calls;
  if (asFunctions && first !== undefined) {
    return `,"function_call":${JSON.stringify({ name: first.name, arguments: first.arguments })}`;
  }
  return `,"tool_calls":[${calls.map(callJson).join(',')}]`;
}

function callJson({ id, name, arguments: text, custom, state }: ToolCallPart): string {
  const said = custom
    ? `"type":"custom","custom":${JSON.stringify({ name, input: text })}`
    : `"type":"function","function":${JSON.stringify({ name, arguments: text })}`;
  return `{"id":${JSON.stringify(id)},${said}${state === undefined ? '' : `,${extraContentJson(state)}`}}`;
}

/** Returns the state of a tool call, in the member where Google's own compatibility endpoint has it. */
export function extraContentJson(state: NonNullable<ToolCallPart['state']>): string {
  return `"extra_content":{"google":{"thought_signature":${JSON.stringify(stateForField(state, 'google'))}}}`;
}
