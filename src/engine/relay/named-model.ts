import { allowsModel } from '../../domain/access/allow-list.ts';
import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { applyEdits, replaceValue } from '../../formats/shared/json/json-patch.ts';
import { MemberNames, type MemberSpan, parseSpan, scanObject } from '../../formats/shared/json/json-scan.ts';
import { parseJson } from '../../formats/shared/json/json-text.ts';
import { entryOf, isRecord } from '../../formats/shared/json/record.ts';
import { GovernedNames, otherSpelling, spellingsOf } from '../../formats/shared/request/governed-names.ts';
import type { ModelPlace } from '../../providers/shared/relayed-apis.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** A model's name in a body, with Google's collection in front of it. */
interface Place {
  readonly span: MemberSpan;
  readonly collection: string;
}

/** The model that a call names, and its places. */
export interface NamedModel {
  /** The public id; `null` if the call names none. */
  readonly model: string | null;
  readonly places: readonly Place[];
}

const TOP = new MemberNames('model', 'session');
const MODEL = new MemberNames('model');

/** The members that name a model. Another spelling would bypass the check of the key's models. */
const NAMES = {
  model: new GovernedNames({ model: true }),
  'session.model': new GovernedNames({ model: true, 'session.model': true }),
} as const satisfies Record<ModelPlace, GovernedNames>;
/** A body that was not scanned; duplicate names are found by their places. */
const UNSCANNED = { duplicates: [], hasOddNames: true, table: null, spellings: 0 };

/** Finds the model that a body names. A body with several models cannot be checked, since it is unclear which of them counts. */
export function modelInBody(bytes: Uint8Array, wanted: readonly ModelPlace[]): NamedModel | Failure {
  const top = scanObject(bytes, 0, TOP);
  if (top === null) return { model: null, places: [] };
  const value = parseJson(new TextDecoder().decode(bytes));
  const names = NAMES[wanted.includes('session.model') ? 'session.model' : 'model'];
  const variant = isRecord(value) ? names.check(value, UNSCANNED) : null;
  if (variant !== null) return variant;
  const spans = top.members.filter(({ name }) => name === 'model' && wanted.includes('model'));
  const sessions = top.members.filter(({ name }) => name === 'session' && wanted.includes('session.model'));
  for (const { valueStart } of sessions) spans.push(...(scanObject(bytes, valueStart, MODEL)?.members ?? []));
  const places: Place[] = [];
  const models = new Set<string>();
  for (const span of spans) {
    const named = parseSpan(bytes, span.valueStart, span.valueEnd);
    if (typeof named !== 'string' || named === '') continue;
    const [, collection = '', id = named] = /^(models\/)(.*)$/s.exec(named) ?? [];
    models.add(id);
    places.push({ span, collection });
  }
  if (models.size > 1 || sessions.length > 1) return standsTwice(wanted[0] ?? 'model');
  return { model: [...models][0] ?? null, places };
}

/** Finds the model in the query of an address; `null` for none. Some servers ignore the case of its names. */
export function modelInQuery(query: URLSearchParams): string | null | Failure {
  const spelledAs = spellingsOf(['model']);
  const other = [...query.keys()].find(
    (name) => name !== 'model' && spelledAs(name.replace(/\[.*$/s, '')) !== undefined,
  );
  if (other !== undefined) return otherSpelling([other], 'model');
  const [model, another] = query.getAll('model');
  if (model === undefined) return null;
  if (another === undefined && model !== '') return model;
  return new Failure('invalid_value', { message: '`model` must appear once in the URL.', param: 'model' });
}

function standsTwice(param: string): Failure {
  return new Failure('invalid_value', {
    message: `\`${param}\` appears more than once in the body, with different values. Send it once.`,
    param,
  });
}

/** Returns the body with the upstream's id in each of the places. */
export function withUpstreamModel(bytes: Bytes, { model, places }: NamedModel, upstreamModel: string): Bytes {
  if (places.length === 0 || model === upstreamModel) return bytes;
  const edits = places
    .map(({ span, collection }) => replaceValue(span, JSON.stringify(collection + upstreamModel)))
    .sort((one, other) => one.start - other.start);
  return applyEdits(bytes, edits);
}

/** Returns this channel's upstream id of a public model; `null` if it does not serve the model. */
export function upstreamModelAt(channel: { readonly models: Readonly<Record<string, string>> }, model: string) {
  return entryOf(channel.models, model) ?? null;
}

/** Returns why the key may not use this model, or possible hidden models; `null` if it may. */
export function keyProblem({ credential }: Principal, model: string | null, hidesModels: boolean): Failure | null {
  if (credential.models === null) return null;
  if (model !== null && !allowsModel(credential.models, model)) {
    return new Failure('model_not_allowed', {
      message: `This API key may not use the model \`${model.slice(0, 256)}\`.`,
      param: 'model',
      hint: "Use a model from the key's allow-list, or another key.",
    });
  }
  if (!hidesModels) return null;
  return new Failure('model_not_allowed', {
    message: 'This API key is limited to certain models, and this request does not show which ones it uses.',
    hint: 'Use a key without an allow-list of models.',
  });
}

/** Replaces the upstream's model id in a JSON text by the public one. Within a text value the quotes would be escaped. */
export function publicModelIn(json: string, upstreamModel: string, model: string): string {
  if (upstreamModel === model) return json;
  const name = upstreamModel.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  const places = new RegExp(`("model"\\s*:\\s*"(?:models\\\\?/)?)${name}"`, 'g');
  return json.replace(places, (_, before: string) => `${before}${JSON.stringify(model).slice(1)}`);
}
