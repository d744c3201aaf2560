import type { MediaPart } from '../../../domain/exchange/part.ts';
import type { TokenLogprob } from '../../../domain/exchange/response.ts';
import { startOf } from '../../shared/json/long-text.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';
import { type ItemSource, ownState } from './reasoning.ts';

/* Items that occur in answers and are sent back in requests. The code for both directions is here. */

type Json = Readonly<Record<string, unknown>>;

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

/** Returns the items of an `input`. A plain text is a user message. */
export function itemsOf(input: unknown): readonly Json[] {
  if (typeof input === 'string')
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
  return Array.isArray(input) ? input.filter(isRecord) : [];
}

const ID_PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg_',
  function_call: 'fc_',
  function_call_output: 'fco_',
  custom_tool_call: 'ctc_',
  custom_tool_call_output: 'ctco_',
  reasoning: 'rs_',
  compaction: 'cmp_',
  image_generation_call: 'ig_',
};

/** Returns the id prefix for this type of item. */
export function idPrefixOf(type: string): string {
  return entryOf(ID_PREFIXES, type) ?? 'item_';
}

/**
 * Returns the full form of an item: its type, its id, and content as a list, as `GET /v1/responses/{id}/input_items` shows it.
 */
export function asStored(item: Json, newId: (prefix: string) => string): Json {
  const type = typeof item.type === 'string' ? item.type : 'message';
  const id = typeof item.id === 'string' ? item.id : newId(idPrefixOf(type));
  if (type !== 'message') return { ...item, type, id };
  const textType = item.role === 'assistant' ? 'output_text' : 'input_text';
  const annotations = item.role === 'assistant' ? { annotations: [], logprobs: [] } : {};
  const content =
    typeof item.content === 'string' ? [{ type: textType, text: item.content, ...annotations }] : item.content;
  return { ...item, type, id, status: item.status ?? 'completed', content };
}
