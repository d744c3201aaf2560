import type { Foundation } from '../../../domain/exchange/foundation.ts';
import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { MediaPart, ReasoningPart, ToolCallPart } from '../../../domain/exchange/part.ts';
import type { TokenLogprob } from '../../../domain/exchange/response.ts';
import type { AnswerContext } from '../client-request.ts';
import { wrapFoundation, wrapState, wrapThought } from '../shared/state-token.ts';
import { logprobsJson } from './content.ts';
import { itemOfState, NO_STATE, standsAlone } from './reasoning.ts';

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

/** Returns whether the client asked to see reasoning. This format shows it as a summary, and only on request. */
export function showsThoughts({ request: { reasoning } }: AnswerContext): boolean {
  const summary = reasoning?.summary ?? null;
  return summary !== null && summary !== 'none';
}

/**
 * Returns a reasoning item. Clients ask for a summary, so the full reasoning is shown as one if the provider gave no shorter
 * text. State goes into `encrypted_content`, which every client of the format sends back, as a token that names its provider and
 * holds the text. This also applies to this format's own state if its item's id is not this one, because OpenAI refuses encrypted
 * content under another id. A completed item without a state gets a token as well: the gateway made it, and no provider would
 * know its id.
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

/** Returns the foundation of a call other than visible reasoning, in an item before the call. */
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

/** Returns whether reasoning is useful to a client: it has a text that is shown, or a state to send back. */
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

/** This format's own reasoning item as it was issued. Used where the whole answer is available. */
export function issuedItemJson(state: OpaqueState | undefined): string | null {
  const item = itemOfState(state);
  const isWhole = item?.type === 'reasoning' && typeof item.id === 'string' && Array.isArray(item.summary);
  return isWhole && standsAlone(item) ? (state?.data ?? null) : null;
}

/** Returns an image that the model made, under its issuer's id; `null` for media that the format has no item for. */
export function imageItem(newId: string, { source, type, state }: MediaPart) {
  if (type !== 'image' || source.kind !== 'base64') return null;
  const { id: issued, type: _, status, ...others } = itemOfState(state) ?? {};
  const id = typeof issued === 'string' ? issued : newId;
  const isDone = status === undefined || status === null;
  const members = { id, type: 'image_generation_call', status: isDone ? 'completed' : status, ...others };
  return { id, json: JSON.stringify({ ...members, result: source.data }) };
}

/** Returns the URL of an image or other media, as text, because the format's image item holds only bytes. */
export function linkOf({ source, type }: MediaPart): string | null {
  if (source.kind !== 'url') return null;
  return type === 'image' ? `![image](${source.url})` : source.url;
}

/** A content part of the open message. */
export interface OpenContent {
  readonly kind: 'output_text' | 'refusal';
  text: string;
  readonly annotations: string[];
  readonly logprobs: TokenLogprob[];
}

export function contentJson({ kind, text, annotations, logprobs }: OpenContent): string {
  return kind === 'refusal' ? refusalPartJson(text) : textPartJson(text, annotations, logprobs);
}
