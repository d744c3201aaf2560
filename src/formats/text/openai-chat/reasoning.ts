import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { ReasoningPart } from '../../../domain/exchange/part.ts';
import { nonEmptyText } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { AnswerContext } from '../client-request.ts';
import { isWithheld, type SealedThought, unwrapThought, wrapState, wrapThought } from '../shared/state-token.ts';

/*
 * Reasoning on the wire of chat completions. OpenAI defines no member for it. Providers agree on a plain `reasoning_content`
 * or `reasoning`. OpenRouter's `reasoning_details` (openrouter.ai/docs, "Preserving reasoning") can also hold state.
 */

type Item = Readonly<Record<string, unknown>>;

/** Where the state of a decoded part comes from. */
export interface Origin {
  readonly provider: string | null;
  readonly channel: string | null;
}

export const UNKNOWN_ORIGIN: Origin = { provider: null, channel: null };

/** Returns the state of plain reasoning text: it marks text that came from a chat upstream and has no further state. */
export function plainState({ provider, channel }: Origin): OpaqueState {
  return { family: 'openai-chat', data: '', provider, channel };
}

/** Returns the text of one item, whichever kind it is. */
export function textOfDetail(item: Item): string {
  if (typeof item.text === 'string' && item.text !== '') return item.text;
  return typeof item.summary === 'string' ? item.summary : '';
}

/**
 * Returns the parts in a `reasoning_details` array. An item with a gateway token becomes a separate part, with the state from
 * the token. The items between them are the upstream's own; they stay together and unchanged.
 */
export function partsOfDetails(details: readonly unknown[], origin: Origin): ReasoningPart[] {
  const parts: ReasoningPart[] = [];
  let own: Item[] = [];
  const flush = () => {
    if (own.length > 0) parts.push(partOfOwn(own, origin));
    own = [];
  };
  for (const item of details) {
    if (!isRecord(item)) continue;
    const thought = thoughtInItem(item);
    if (thought === null) {
      own.push(item);
      continue;
    }
    const before = own.at(-1);
    if (before !== undefined && isSummaryOf(before, item)) {
      own.pop();
      flush();
      parts.push({ type: 'reasoning', text: textOfDetail(before), summary: true, state: thought.state });
      continue;
    }
    flush();
    const text = textOfDetail(item);
    if (text !== '') parts.push({ type: 'reasoning', text, state: thought.state });
    else parts.push(isWithheld(thought) ? { ...thought, redacted: true } : thought);
  }
  flush();
  return parts;
}

function thoughtInItem(item: Item): SealedThought | null {
  const field = typeof item.signature === 'string' && item.signature !== '' ? item.signature : item.data;
  return typeof field === 'string' ? unwrapThought(field) : null;
}

/** Returns whether two items belong together: a summary and the state of the same reasoning are two items with the same id. */
function isSummaryOf(summary: Item, { id, type }: Item): boolean {
  const isPair = summary.type === 'reasoning.summary' && type === 'reasoning.encrypted';
  return isPair && typeof id === 'string' && summary.id === id;
}

/** Returns OpenRouter's own items as one part, which goes back unchanged. */
export function partOfOwn(items: readonly Item[], { provider, channel }: Origin): ReasoningPart {
  const texts = items.map(textOfDetail).filter((text) => text !== '');
  const isSummary = texts.length > 0 && !items.some((item) => typeof item.text === 'string' && item.text !== '');
  return {
    type: 'reasoning',
    text: texts.join(isSummary ? '\n\n' : ''),
    ...(isSummary ? { summary: true } : {}),
    ...(texts.length === 0 ? { redacted: true } : {}),
    state: { family: 'openai-chat', data: JSON.stringify(items), provider, channel },
  };
}

/**
 * Returns a thought's state as items of `reasoning_details`: JSON text without the brackets. Empty where plain text is enough.
 */
export function detailsJson({ text, summary, redacted, state }: SealedThought, index: number): string {
  if (state.family === 'openai-chat') return state.data.replace(/^\s*\[|\]\s*$/g, '').trim();
  if (text === '') {
    return encryptedJson(wrapThought({ type: 'reasoning', text, ...(redacted ? { redacted } : {}), state }), index);
  }
  const place = placeJson(index);
  const token = wrapState(state);
  const encrypted = encryptedJson(token, index);
  if (summary) return `{"type":"reasoning.summary","summary":${JSON.stringify(text)},${place}},${encrypted}`;
  return `{"type":"reasoning.text","text":${JSON.stringify(text)},"signature":"${token}",${place}}`;
}

/**
 * Returns hidden reasoning as one `reasoning_details` item, sealed in a token. Empty if there is no text and no state to return.
 */
export function sealedJson({ state, ...part }: ReasoningPart, index: number): string {
  if (state === undefined || (state.data === '' && part.text === '')) return '';
  return encryptedJson(wrapThought({ ...part, state }), index);
}

function encryptedJson(token: string, index: number): string {
  return `{"type":"reasoning.encrypted","data":"${token}",${placeJson(index)}}`;
}

function placeJson(index: number): string {
  return `"id":"reasoning_${index}","format":"unknown","index":${index}`;
}

/**
 * Returns whether the client is shown reasoning. OpenAI never shows any, but clients of all other providers read it from
 * `reasoning_content`, an extra member that other clients ignore. So it is shown unless the client has asked for none
 * (OpenRouter's `exclude`, Google's `include_thoughts`).
 */
export function showsThoughts({ request: { reasoning } }: AnswerContext): boolean {
  return reasoning?.summary !== 'none';
}

/** Returns the signature in an `extra_content` of Gemini's compatibility endpoint or of Vertex AI's, or `null`. */
export function googleSignature(content: unknown): string | null {
  if (!isRecord(content)) return null;
  for (const vendor of [content.google, content.vertex]) {
    const signature = isRecord(vendor) ? nonEmptyText(vendor.thought_signature) : null;
    if (signature !== null) return signature;
  }
  return null;
}
