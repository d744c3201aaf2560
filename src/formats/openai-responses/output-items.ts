import type { Foundation } from '../../domain/exchange/foundation.ts';
import type { OpaqueState } from '../../domain/exchange/opaque-state.ts';
import type { Citation, MediaPart, ReasoningPart, ToolCallPart } from '../../domain/exchange/part.ts';
import type { TokenLogprob } from '../../domain/exchange/response.ts';
import type { AnswerContext } from '../format.ts';
import { isRecord } from '../shared/record.ts';
import { wrapFoundation, wrapState, wrapThought } from '../shared/state-token.ts';
import { itemOfState, logprobsJson, NO_STATE, standsAlone } from './items.ts';
import { FORMAT } from './schema.ts';

/* The items of an answer as JSON text, the same whether the answer is whole or streamed. */

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export function textPartJson(
  text: string,
  annotations: readonly string[],
  logprobs?: readonly TokenLogprob[] | undefined,
): string {
  return `{"type":"output_text","annotations":[${annotations.join(',')}],"logprobs":${logprobsJson(logprobs)},"text":${JSON.stringify(text)}}`;
}

export function refusalPartJson(refusal: string): string {
  return `{"type":"refusal","refusal":${JSON.stringify(refusal)}}`;
}

export function messageJson(id: string, status: ItemStatus, content: readonly string[]): string {
  return `{"id":"${id}","type":"message","status":"${status}","role":"assistant","content":[${content.join(',')}]}`;
}

export function toolCallJson(
  id: string,
  status: ItemStatus,
  call: Pick<ToolCallPart, 'id' | 'name' | 'arguments' | 'custom'> & { readonly namespace?: string },
): string {
  const namespace = call.namespace === undefined ? '' : `"namespace":${JSON.stringify(call.namespace)},`;
  const who = `"call_id":${JSON.stringify(call.id)},${namespace}"name":${JSON.stringify(call.name)}`;
  const text = JSON.stringify(call.arguments);
  return call.custom
    ? `{"id":"${id}","type":"custom_tool_call","status":"${status}",${who},"input":${text}}`
    : `{"id":"${id}","type":"function_call","status":"${status}",${who},"arguments":${text}}`;
}

/** Whether the client asked to see thoughts: this format shows them as a summary, and none unasked. */
export function showsThoughts({ request: { reasoning } }: AnswerContext): boolean {
  const summary = reasoning?.summary ?? null;
  return summary !== null && summary !== 'none';
}

/**
 * A reasoning item. What a client asks for is a summary, so the thought itself is one where the provider gave nothing shorter.
 * State goes into `encrypted_content`, which every client of the format sends back, as a token that says whose it is and holds the
 * text. That is so for this format's own state, too, wherever its item's id is not this one: OpenAI refuses encrypted content
 * under another id. An item without a state has a token, too, when it is done: it was made here, and no provider would know its id.
 */
export function reasoningJson(
  id: string,
  part: Pick<ReasoningPart, 'text' | 'summary' | 'redacted' | 'state'>,
  isShown: boolean,
  status: ItemStatus = 'completed',
): string {
  const summary = isShown && part.text !== '' ? summaryPartJson(part.text) : '';
  return itemJson(id, summary, status === 'in_progress' ? null : tokenOf(part));
}

/** What a call stands on beside thoughts, in an item before it. */
export function carrierJson(id: string, foundation: Foundation): string {
  return itemJson(id, '', wrapFoundation(foundation));
}

export function summaryPartJson(text: string): string {
  return `{"type":"summary_text","text":${JSON.stringify(text)}}`;
}

function itemJson(id: string, summary: string, token: string | null): string {
  const encrypted = token === null ? '' : `,"encrypted_content":"${token}"`;
  return `{"id":"${id}","type":"reasoning","summary":[${summary}]${encrypted}}`;
}

/** Whether a thought says anything to a client: it has a text that is shown, or a state to bring back. */
export function saysAnything({ text, state }: Pick<ReasoningPart, 'text' | 'state'>, isShown: boolean): boolean {
  return (isShown && text !== '') || isReturnable(state);
}

function isReturnable(state: OpaqueState | undefined): state is OpaqueState {
  const own = itemOfState(state);
  return state !== undefined && (own === null || standsAlone(own));
}

function tokenOf({
  text,
  summary,
  redacted,
  state,
}: Pick<ReasoningPart, 'text' | 'summary' | 'redacted' | 'state'>): string {
  if (!isReturnable(state)) return wrapState(NO_STATE);
  const flags = { ...(summary ? { summary } : {}), ...(redacted ? { redacted } : {}) };
  return wrapThought({ type: 'reasoning', text, ...flags, state });
}

/** This format's own reasoning item as it was issued, where the whole answer is at hand. */
export function issuedItemJson(state: OpaqueState | undefined): string | null {
  const item = itemOfState(state);
  const isWhole = item?.type === 'reasoning' && typeof item.id === 'string' && Array.isArray(item.summary);
  return isWhole && standsAlone(item) ? (state?.data ?? null) : null;
}

/** An image that the model made, under its issuer's id; `null` for a medium that the format has no item for. */
export function imageItem(newId: string, { source, type, state }: MediaPart) {
  if (type !== 'image' || source.kind !== 'base64') return null;
  const { id: issued, type: _, status, ...others } = itemOfState(state) ?? {};
  const id = typeof issued === 'string' ? issued : newId;
  const isDone = status === undefined || status === null;
  const members = { id, type: 'image_generation_call', status: isDone ? 'completed' : status, ...others };
  return { id, json: JSON.stringify({ ...members, result: source.data }) };
}

/** A medium by its address, as text: the format's image item holds bytes only. */
export function linkOf({ source, type }: MediaPart): string | null {
  if (source.kind !== 'url') return null;
  return type === 'image' ? `![image](${source.url})` : source.url;
}

/** JSON text; `null` for a source that the format cannot name. `length` is that of the text so far. */
export function annotationJson(citation: Citation, length: number): string | null {
  const { raw, url, title, start, end, documentIndex } = citation;
  if (raw?.format === FORMAT && isRecord(raw.value)) {
    // xAI leaves out what the document requires of a link.
    const link = { start_index: 0, end_index: length, title: url ?? '' };
    return JSON.stringify(raw.value.type === 'url_citation' ? { ...link, ...raw.value } : raw.value);
  }
  if (url !== null) {
    const range = `"start_index":${start ?? 0},"end_index":${end ?? length}`;
    return `{"type":"url_citation","url":${JSON.stringify(url)},${range},"title":${JSON.stringify(title ?? url)}}`;
  }
  if (documentIndex === null && title === null) return null;
  const file = `"file_id":"document_${documentIndex ?? 0}","filename":${JSON.stringify(title ?? `document_${documentIndex ?? 0}`)}`;
  return `{"type":"file_citation","index":${end ?? length},${file}}`;
}
