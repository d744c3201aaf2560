import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { MediaPart, ReasoningPart } from '../../../domain/exchange/part.ts';
import type { Tool } from '../../../domain/exchange/request.ts';
import type { TokenLogprob } from '../../../domain/exchange/response.ts';
import { parseObject } from '../../shared/json/json-text.ts';
import { startOf } from '../../shared/json/long-text.ts';
import { isRecord } from '../../shared/json/record.ts';

/* Items that occur in answers and are sent back in requests. The code for both directions is here. */

type Json = Readonly<Record<string, unknown>>;

/** The issuer of an item; `null` if a client sent it. */
export interface ItemSource {
  readonly provider: string;
  readonly channel: string;
}

/** Returns a reasoning item of this format. The whole item is its state, so that it can go back unchanged. */
export function nativeReasoning(item: Json, source: ItemSource | null): ReasoningPart {
  const shown = reasoningText(item);
  const isWithheld = shown.text === '' && typeof item.encrypted_content === 'string' && item.encrypted_content !== '';
  return {
    type: 'reasoning',
    ...shown,
    ...(isWithheld ? { redacted: true } : {}),
    state: ownState(JSON.stringify(item), source),
  };
}

export function ownState(data: string, source: ItemSource | null): OpaqueState {
  return {
    family: 'openai-responses',
    data,
    provider: source?.provider ?? null,
    channel: source?.channel ?? null,
  };
}

/** The token of a reasoning item for which the provider gave no state. It shows that the gateway made the item. */
export const NO_STATE = ownState('', null);

/** Returns the summaries joined by blank lines, otherwise the reasoning text itself (open-weight models show it in `content`). */
export function reasoningText(item: Json): Pick<ReasoningPart, 'text' | 'summary'> {
  const summary = textsOf(item.summary);
  if (summary !== '') return { text: summary, summary: true };
  return { text: textsOf(item.content) };
}

function textsOf(parts: unknown): string {
  if (!Array.isArray(parts)) return '';
  const texts = parts.flatMap((part) => (isRecord(part) && typeof part.text === 'string' ? [part.text] : []));
  return texts.join('\n\n');
}

/**
 * Returns whether a reasoning item has content for a provider that has not stored it (the gateway translates with `store: false`). Such a
 * provider answers a bare id with a 404.
 */
export function standsAlone(item: Json): boolean {
  const { encrypted_content: encrypted, content } = item;
  return (typeof encrypted === 'string' && encrypted !== '') || (Array.isArray(content) && content.length > 0);
}

/** Returns a finished image. All other members of the item are its state. `null` for a call that has no image (yet). */
export function decodeImageItem(item: Json, source: ItemSource | null, path?: string): MediaPart | null {
  const { result, ...others } = item;
  if (typeof result !== 'string' || result === '') return null;
  return {
    type: 'image',
    source: { kind: 'base64', data: withoutDataUrl(result) },
    mediaType: typeof item.output_format === 'string' ? `image/${item.output_format}` : 'image/png',
    state: ownState(JSON.stringify(others), source),
    ...(path === undefined ? {} : { path }),
  };
}

/** Removes the head of a data URL, because xAI returns the image as one. */
function withoutDataUrl(result: string): string {
  const head = /^data:[^,]*,/.exec(startOf(result, 256))?.[0] ?? '';
  return result.slice(head.length);
}

/** Returns the item in a state of this family; `null` for any other state. */
export function itemOfState(state: OpaqueState | undefined): Json | null {
  if (state?.family !== 'openai-responses') return null;
  return parseObject(state.data);
}

// ---- log probabilities

const utf8 = new TextEncoder();

/**
 * Returns log probabilities as JSON text. The document requires each token's bytes; missing ones are computed from the token's
 * text.
 */
export function logprobsJson(logprobs: readonly TokenLogprob[] | undefined): string {
  if (logprobs === undefined || logprobs.length === 0) return '[]';
  return JSON.stringify(logprobs.map((entry) => ({ ...encodeToken(entry), top_logprobs: entry.top.map(encodeToken) })));
}

function encodeToken({ token, logprob, bytes }: Pick<TokenLogprob, 'token' | 'logprob' | 'bytes'>) {
  return { token, logprob, bytes: bytes ?? [...utf8.encode(token)] };
}

// ---- tools in a namespace

/** Returns the name of a tool in a namespace for formats without namespaces: both names, joined as Codex joins them. */
export function nameInNamespace(namespace: string, member: string): string {
  return namespace.endsWith('__') || member.startsWith('_') ? namespace + member : `${namespace}__${member}`;
}

interface CalledName {
  readonly name: string;
  readonly namespace?: string;
}

/**
 * The names of the tools in namespaces, computed once for the tools of a request. A request may have as many calls as tools.
 */
const namespaced = new WeakMap<readonly Tool[], ReadonlyMap<string, CalledName>>();

/** Returns the name and namespace that a call of the tool is written with. */
export function calledName(name: string, tools: readonly Tool[]): CalledName {
  let names = namespaced.get(tools);
  if (names === undefined) {
    names = namesInNamespaces(tools);
    namespaced.set(tools, names);
  }
  return names.get(name) ?? { name };
}

function namesInNamespaces(tools: readonly Tool[]): ReadonlyMap<string, CalledName> {
  const names = new Map<string, CalledName>();
  for (const tool of tools) {
    // The first tool of a name wins.
    if ((tool.type !== 'function' && tool.type !== 'custom') || names.has(tool.name)) continue;
    const { namespace, name } = tool;
    names.set(name, namespace ? { name: namespace.member, namespace: namespace.name } : { name });
  }
  return names;
}
