import type { Model } from '../../../domain/catalog/model.ts';
import type { ModelOperation, Parameter } from '../../../domain/catalog/model-operation.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { GenerationRequest, VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { missingField, wrongField } from '../../../formats/shared/request/request-fields.ts';
import { memberOf } from '../input-images.ts';

/*
 * The bounds of a request's fields in the public contract of a model (`GET /v1/models/{model}`). The upstream would reject a value outside
 * of them, or a wire would change it; a message that names the field and its range is better.
 */

type Rule = Readonly<Partial<Parameter>>;
type Value = string | number | boolean;

/** A field of the contract as the request has it. */
interface Asked {
  /** The name of its rule in the contract. */
  readonly name: string;
  /** The path as the client wrote it. */
  readonly path: string;
  /** `null` for a list, whose length counts. */
  readonly value: Value | null;
  readonly items?: number;
}

const OPERATIONS: Readonly<Record<GenerationRequest['kind'], ModelOperation>> = {
  video: 'videos.generations',
  music: 'music.generations',
  '3d': '3d.generations',
};

/** Fields that hardly change a result: the wires leave them out and report the loss, as image wires do. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['negative_prompt', 'seed', 'user', 'provider_options', 'title', 'tags'],
  // A model without the `operation` field has only one, which the rules of images and videos determine.
  'operation',
]);

/** Returns why this model cannot serve the request (400); `null` if it can. */
export function modelProblem(request: GenerationRequest, model: Pick<Model, 'id' | 'parameters'>): Failure | null {
  const rules = model.parameters[OPERATIONS[request.kind]] ?? {};
  const asked = askedOf(request);
  for (const one of asked) {
    const rule = ruleOf(rules, one.name);
    const problem = rule === undefined ? null : fieldProblem(one, rule, model.id);
    if (problem !== null) return problem;
  }
  for (const [name, rule] of Object.entries(rules)) {
    if (rule?.required !== true || asked.some((one) => one.name === name)) continue;
    return missingField(name, `the model \`${model.id}\` requires it`);
  }
  return null;
}

/**
 * Returns the rule of a field. `seconds` is an alias of `duration`: a bound on one is a bound on the other, and a model may accept only one
 * of the names.
 */
function ruleOf(rules: Readonly<Record<string, Rule | null>>, name: string): Rule | null | undefined {
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  if (name !== 'duration') return rule;
  const other = Object.hasOwn(rules, 'seconds') ? rules.seconds : undefined;
  return rule ?? (other === undefined ? rule : other);
}

function fieldProblem({ name, path, value, items }: Asked, rule: Rule | null, modelId: string): Failure | null {
  if (rule === null) {
    if (LEFT_OUT.has(name) || happensAnyway(name, value)) return null;
    return new Failure('unsupported_parameter', {
      message: `The model \`${modelId}\` does not accept \`${path}\`.`,
      param: path,
      hint: 'Leave it out, or use a model whose `public_contract` has it.',
    });
  }
  const most = rule.maxItems;
  if (items !== undefined && most !== undefined && items > most) {
    return wrongField('invalid_value', path, `has ${items} items; the limit is ${most} for \`${modelId}\``);
  }
  if (value === null) return null;
  const allowed = rule.enum;
  if (allowed !== undefined && !allowed.some((one) => isSame(one, value))) {
    const all = allowed.map((one) => `\`${one}\``).join(', ');
    return wrongField('invalid_value', path, `must be ${allowed.length > 1 ? 'one of ' : ''}${all} for \`${modelId}\``);
  }
  return typeof value === 'boolean' ? null : boundProblem(path, value, rule, modelId);
}

function happensAnyway(name: string, value: Value | null): boolean {
  return value === false || (name === 'n' && value === 1) || (name === 'action' && value === 'MUSIC');
}

function boundProblem(path: string, value: string | number, rule: Rule, modelId: string): Failure | null {
  const { minimum, maximum, maxLength, type } = rule;
  if (typeof value === 'string') {
    if (maxLength === undefined || value.length <= maxLength) return null;
    const told = `has ${value.length} characters; the limit is ${maxLength} for \`${modelId}\``;
    return wrongField('invalid_value', path, told);
  }
  const isWhole = type !== 'integer' || Number.isInteger(value);
  if (value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity) && isWhole) return null;
  const kind = type === 'integer' ? 'a whole number' : 'a number';
  const range = [
    ...(minimum === undefined ? [] : [`of at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`of at most ${maximum}`]),
  ].join(' and ');
  return wrongField('invalid_value', path, `must be ${kind}${range === '' ? '' : ` ${range}`} for \`${modelId}\``);
}

/** The catalog may write a length as a number or a text, and a resolution in capitals. */
function isSame(allowed: string | number, value: Value): boolean {
  return String(allowed).toLowerCase() === String(value).toLowerCase();
}

function askedOf(request: GenerationRequest): readonly Asked[] {
  const { body } = request;
  const read = fieldsOf(request);
  const elsewhere = new Set([...read.map(({ name }) => name), ...OTHER_NAMES[request.kind]]);
  const written = Object.keys(body)
    .filter((name) => !elsewhere.has(name))
    .flatMap((name) => writtenField(name, memberOf(body, name)));
  return [...read, ...written];
}

/** Members of a body that `fieldsOf` returns under another name or spelling. */
const OTHER_NAMES: Readonly<Record<GenerationRequest['kind'], readonly string[]>> = {
  video: ['seconds', 'generate_audio'],
  music: [],
  '3d': [],
};

/** Returns the fields that a client may write in several ways, or leave to the gateway. */
function fieldsOf(request: GenerationRequest): readonly Asked[] {
  if (request.kind === 'video') return videoFields(request);
  if (request.kind === 'music') return [{ name: 'action', path: 'action', value: request.action }];
  const path = memberOf(request.body, 'image_url') === null ? 'image_urls' : 'image_url';
  return request.images.length === 0 ? [] : [{ name: 'image_url', path, value: null }];
}

function writtenField(name: string, value: unknown): readonly Asked[] {
  if (Array.isArray(value)) return value.length === 0 ? [] : [{ name, path: name, value: null, items: value.length }];
  const isValue = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  if (isValue) return value === '' ? [] : [{ name, path: name, value }];
  return value === null ? [] : [{ name, path: name, value: null }];
}

function videoFields(request: VideoRequest): readonly Asked[] {
  const { body } = request;
  const path = (name: string, other: string) => (memberOf(body, name) === null ? other : name);
  const { durationSeconds, resolution, audio, firstImage, lastImage, referenceImages, operation } = request;
  const fields: (Asked | null)[] = [
    { name: 'operation', path: path('operation', operationPath(request)), value: operation },
    durationSeconds === null ? null : { name: 'duration', path: path('duration', 'seconds'), value: durationSeconds },
    resolution === null ? null : { name: 'resolution', path: 'resolution', value: resolution },
    audio === null ? null : { name: 'audio', path: path('audio', 'generate_audio'), value: audio },
    firstImage === null ? null : { name: 'image_url', path: path('image_url', 'image_urls'), value: null },
    lastImage === null ? null : { name: 'end_image_url', path: path('end_image_url', 'image_urls'), value: null },
    referenceImages.length === 0
      ? null
      : {
          ...{ name: 'reference_image_urls', path: path('reference_image_urls', 'image_urls') },
          ...{ value: null, items: referenceImages.length },
        },
  ];
  return fields.filter((field) => field !== null);
}

/** Returns the field that implies the operation, if the client did not name one. */
function operationPath({ videoUrl, firstImage, lastImage, referenceImages, body }: VideoRequest): string {
  if (videoUrl !== null) return 'video_url';
  if (firstImage !== null || lastImage !== null || referenceImages.length > 0) {
    const names = ['image_urls', 'image_url', 'end_image_url', 'reference_image_urls'];
    return names.find((name) => memberOf(body, name) !== null) ?? 'operation';
  }
  return 'operation';
}
