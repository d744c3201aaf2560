import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { ParsedRequest, StateIssuing } from '../../format.ts';
import { parseObject } from '../../shared/json/json-text.ts';
import { startOf } from '../../shared/json/long-text.ts';
import { isRecord } from '../../shared/json/record.ts';

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
