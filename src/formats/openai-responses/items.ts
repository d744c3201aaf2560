import type { OpaqueState } from '../../domain/exchange/opaque-state.ts';
import type { MediaPart, ReasoningPart } from '../../domain/exchange/part.ts';
import type { Tool } from '../../domain/exchange/request.ts';
import type { TokenLogprob } from '../../domain/exchange/response.ts';
import { parseObject } from '../shared/json-text.ts';
import { startOf } from '../shared/long-text.ts';
import { isRecord } from '../shared/record.ts';

/* Items that stand in answers and, sent back, in requests; both directions read and write them here. */

type Json = Readonly<Record<string, unknown>>;

/** Who issued an item; `null` where a client brought it. */
export interface ItemSource {
  readonly provider: string;
  readonly channel: string;
}

/** A reasoning item of this format: the item as a whole is its state, so that it can go back verbatim. */
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

/** What the token of a reasoning item says whose provider gave no state: that the gateway made the item. */
export const NO_STATE = ownState('', null);

/** The summaries joined by blank lines, else the reasoning text itself (open-weight models show it in `content`). */
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
 * Whether a reasoning item says anything to a provider that has not stored it (the gateway translates with `store: false`):
 * an id alone is answered with a 404 there.
 */
export function standsAlone(item: Json): boolean {
  const { encrypted_content: encrypted, content } = item;
  return (typeof encrypted === 'string' && encrypted !== '') || (Array.isArray(content) && content.length > 0);
}

/** A finished image; everything but the image itself is its state. `null` for a call that has no image (yet). */
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

/** xAI gives the image as a data URL. */
function withoutDataUrl(result: string): string {
  const head = /^data:[^,]*,/.exec(startOf(result, 256))?.[0] ?? '';
  return result.slice(head.length);
}

/** The item that a state of this family holds; `null` for anything else. */
export function itemOfState(state: OpaqueState | undefined): Json | null {
  if (state?.family !== 'openai-responses') return null;
  return parseObject(state.data);
}

// ---- log probabilities

const utf8 = new TextEncoder();

/** JSON text. The document requires the bytes of each token, so those that nobody reported are made from its text. */
export function logprobsJson(logprobs: readonly TokenLogprob[] | undefined): string {
  if (logprobs === undefined || logprobs.length === 0) return '[]';
  return JSON.stringify(logprobs.map((entry) => ({ ...encodeToken(entry), top_logprobs: entry.top.map(encodeToken) })));
}

function encodeToken({ token, logprob, bytes }: Pick<TokenLogprob, 'token' | 'logprob' | 'bytes'>) {
  return { token, logprob, bytes: bytes ?? [...utf8.encode(token)] };
}

// ---- tools in a namespace

/** The name by which formats without namespaces know a tool in one: both names, joined as Codex has always joined them. */
export function nameInNamespace(namespace: string, member: string): string {
  return namespace.endsWith('__') || member.startsWith('_') ? namespace + member : `${namespace}__${member}`;
}

interface CalledName {
  readonly name: string;
  readonly namespace?: string;
}

/** The names of the tools that stand in namespaces, made once for the tools of a request, which may have as many calls as tools. */
const namespaced = new WeakMap<readonly Tool[], ReadonlyMap<string, CalledName>>();

/** What a call of the tool says of its name. */
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
    // The first of a name counts.
    if ((tool.type !== 'function' && tool.type !== 'custom') || names.has(tool.name)) continue;
    const { namespace, name } = tool;
    names.set(name, namespace ? { name: namespace.member, namespace: namespace.name } : { name });
  }
  return names;
}
