import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { ReasoningPart } from '../../../domain/exchange/part.ts';
import { parseObject } from '../../shared/json/json-text.ts';
import { startOf } from '../../shared/json/long-text.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { ParsedRequest } from '../client-request.ts';
import type { StateIssuing } from '../provider-state.ts';

/* Reasoning items: they occur in answers, are sent back in requests, and can be read only by their issuer. */

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

/** Returns the item in a state of this family; `null` for any other state. */
export function itemOfState(state: OpaqueState | undefined): Json | null {
  if (state?.family !== 'openai-responses') return null;
  return parseObject(state.data);
}

// ---- the issuer

const REASONING_ID = /"id"\s*:\s*"(rs_[^"\\]{1,200})"/g;

/** This much of a token identifies it, because tokens begin with a time and a random number. */
const KEY_CHARACTERS = 100;

/**
 * Returns the ids of an answer's reasoning items. Items without encrypted content are stored, so only their organisation can read
 * them. Compactions are identified by their encrypted content, because Codex sends them back without an id.
 */
function issued(answerJson: string): readonly string[] {
  const reasoning = Array.from(answerJson.matchAll(REASONING_ID), ([, id = '']) => id);
  if (!answerJson.includes('"compaction"')) return reasoning;
  const answer = parseObject(answerJson);
  const output: readonly unknown[] = Array.isArray(answer?.output) ? answer.output : [];
  return [...reasoning, ...output.flatMap((item) => (isRecord(item) ? compactionKey(item) : null) ?? [])];
}

function compactionKey({ type, encrypted_content: encrypted }: Readonly<Record<string, unknown>>): string | null {
  return type === 'compaction' && typeof encrypted === 'string' ? startOf(encrypted, KEY_CHARACTERS) : null;
}

function presented({ body }: ParsedRequest): readonly string[] {
  if (!Array.isArray(body.input)) return [];
  return body.input.flatMap((item: unknown) => {
    if (!isRecord(item)) return [];
    if (item.type !== 'reasoning') return compactionKey(item) ?? [];
    return typeof item.id === 'string' ? [item.id] : [];
  });
}

/** This family's state is the JSON text of the whole item. Only for a compaction it is the encrypted content. */
function keyOf({ family, data }: OpaqueState): string | null {
  if (family !== 'openai-responses') return null;
  if (data !== '' && !data.startsWith('{')) return startOf(data, KEY_CHARACTERS);
  const [, id] = new RegExp(REASONING_ID.source).exec(data) ?? [];
  return id ?? null;
}

/**
 * Reasoning is bound to the organisation that it was made for, whether it is encrypted or stored there. An item has an id,
 * but nothing else that shows its origin.
 */
export const issuing: StateIssuing = { issued, presented, keyOf };
