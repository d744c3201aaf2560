import { Failure } from '../../../domain/failure/failure.ts';
import { MemberNames, parseSpan, scanObject } from '../json/json-scan.ts';
import { isRecord } from '../json/record.ts';
import type { BodySource } from './body-scan.ts';

const MODEL = new MemberNames('model');

/**
 * Returns the model that a refused body names, for the request log; `null` if it names none, or cannot be read. Bytes are only scanned,
 * because the body may be refused for its depth or its number of values.
 */
export function statedModel(source: BodySource | Failure): string | null {
  if (source instanceof Failure) return null;
  if (!(source instanceof Uint8Array)) return isRecord(source.value) ? textOf(source.value.model) : null;
  const span = scanObject(source, 0, MODEL)?.members[0];
  if (span === undefined) return null;
  try {
    return textOf(parseSpan(source, span.valueStart, span.valueEnd));
  } catch {
    return null;
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
