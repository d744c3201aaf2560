import type { Failure } from '../../../domain/failure/failure.ts';
import { MOST_FALLBACKS } from '../../../domain/routing/fallbacks.ts';
import { appendMember, applyEdits, removeMembers } from '../json/json-patch.ts';
import { MemberNames, parseSpan, scanObject } from '../json/json-scan.ts';
import { LONGEST_MODEL, wrongField } from './request-fields.ts';

/*
 * The members `models` and `route` of OpenRouter's API, with which a client names the models to ask if the first one cannot answer. The
 * gateway asks them itself, so it never sends the members on (docs/fallbacks.md).
 */

const MEMBERS = new MemberNames('models', 'route');
const NAMED = new MemberNames('models', 'model');
/** The list may repeat the requested model. */
const MOST_MODELS = MOST_FALLBACKS + 1;

type Body = Readonly<Record<string, unknown>>;

/** Returns the models that a body names; `null` if it has no list. */
export function fallbackMembers({ models, route }: Body): readonly string[] | null | Failure {
  if (models === undefined || models === null) return null;
  if (!Array.isArray(models)) return wrongField('invalid_type', 'models', 'must be a list of model ids');
  if (models.length > MOST_MODELS) {
    return wrongField('invalid_value', 'models', `must have at most ${MOST_MODELS} model ids`);
  }
  for (const [index, id] of models.entries()) {
    if (typeof id !== 'string') return wrongField('invalid_type', `models[${index}]`, 'must be a model id as a string');
    if (id === '' || id.length > LONGEST_MODEL)
      return wrongField('invalid_value', `models[${index}]`, `must be a model id of 1 to ${LONGEST_MODEL} characters`);
  }
  if (route === undefined || route === null || route === 'fallback') return models;
  return wrongField(
    'invalid_value',
    'route',
    'must be `fallback`, the only way in which `models` is used; or leave it out',
  );
}

/** Returns the body without the two members. */
export function withoutFallbackMembers(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const object = scanObject(bytes, 0, MEMBERS);
  if (object === null) throw new Error('a validated request is a JSON object');
  return applyEdits(bytes, removeMembers(bytes, object, object.members).edits);
}

/** Returns a body that names its models only in `models` with the first of them as its `model`; `null` for any other body. */
export function withFirstModel(bytes: Uint8Array): Uint8Array<ArrayBuffer> | null {
  const object = scanObject(bytes, 0, NAMED);
  const [span, another] = object?.members ?? [];
  if (!object || span?.name !== 'models' || another !== undefined) return null;
  const [first] = listIn(bytes, span.valueStart, span.valueEnd);
  return typeof first === 'string'
    ? applyEdits(bytes, [appendMember(object, `"model":${JSON.stringify(first)}`)])
    : null;
}

function listIn(bytes: Uint8Array, start: number, end: number): readonly unknown[] {
  try {
    const list = parseSpan(bytes, start, end);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
