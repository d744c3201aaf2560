import type { OpaqueState } from '../../domain/exchange/opaque-state.ts';
import type { ParsedRequest, StateIssuing } from '../format.ts';
import { isRecord } from '../shared/record.ts';

const REASONING_ID = /"id"\s*:\s*"(rs_[^"\\]{1,200})"/g;

/** The ids of an answer's reasoning items; those without encrypted content are stored, and so known to their organisation alone. */
function issued(answerJson: string): readonly string[] {
  return Array.from(answerJson.matchAll(REASONING_ID), ([, id = '']) => id);
}

function presented({ body }: ParsedRequest): readonly string[] {
  if (!Array.isArray(body.input)) return [];
  return body.input.flatMap((item: unknown) => {
    if (!isRecord(item) || item.type !== 'reasoning') return [];
    return typeof item.id === 'string' ? [item.id] : [];
  });
}

/** This family's state is the JSON text of the whole item. */
function keyOf({ family, data }: OpaqueState): string | null {
  if (family !== 'openai-responses') return null;
  const [, id] = new RegExp(REASONING_ID.source).exec(data) ?? [];
  return id ?? null;
}

/** Reasoning is bound to the organisation that it was made for, encrypted or stored there, and an item says its id and nothing else of its origin. */
export const issuing: StateIssuing = { issued, presented, keyOf };
