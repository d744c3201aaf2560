import type { OpaqueState } from '../../domain/exchange/opaque-state.ts';
import type { ParsedRequest, StateIssuing } from '../format.ts';
import { parseObject } from '../shared/json-text.ts';
import { startOf } from '../shared/long-text.ts';
import { isRecord } from '../shared/record.ts';

const REASONING_ID = /"id"\s*:\s*"(rs_[^"\\]{1,200})"/g;

/** Enough of a token to know it by: what it begins with is a time and a random number. */
const KEY_CHARACTERS = 100;

/**
 * The ids of an answer's reasoning items; those without encrypted content are stored, and so known to their organisation alone.
 * Compactions are known by what is encrypted: Codex sends them back without an id.
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

/** This family's state is the JSON text of the whole item, but that of a compaction, which is what is encrypted. */
function keyOf({ family, data }: OpaqueState): string | null {
  if (family !== 'openai-responses') return null;
  if (data !== '' && !data.startsWith('{')) return startOf(data, KEY_CHARACTERS);
  const [, id] = new RegExp(REASONING_ID.source).exec(data) ?? [];
  return id ?? null;
}

/** Reasoning is bound to the organisation that it was made for, encrypted or stored there, and an item says its id and nothing else of its origin. */
export const issuing: StateIssuing = { issued, presented, keyOf };
