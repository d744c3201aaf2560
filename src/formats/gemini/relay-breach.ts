import type { BodyTest } from '../format.ts';
import type { Quirk } from '../quirk.ts';
import { isRecord } from '../shared/record.ts';
import { hasRecord } from '../shared/relay-breach.ts';

type Json = Readonly<Record<string, unknown>>;

const CALLS = ['functionCall', 'functionResponse', 'function_call', 'function_response'];

/** See `ClientFormat.relayBreach`. */
export function relayBreach(quirks: readonly Quirk[]): BodyTest | null {
  if (!quirks.some((quirk) => quirk.kind === 'omit' && quirk.field === 'functionCall.id')) return null;
  const hasId = (part: Json) => CALLS.some((name) => isRecord(part[name]) && 'id' in part[name]);
  return ({ contents }) => hasRecord(contents, ({ parts }) => hasRecord(parts, hasId));
}
