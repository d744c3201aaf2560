import { isObject, parseJson } from '../../shared/json.ts';
import type { Call, Part } from '../wire/call.ts';
import type { Operation, Parameter } from './contract.ts';

/** The fields' values. */
export type Values = Readonly<Record<string, string | readonly File[]>>;

export type FieldProblem = 'required' | 'number' | 'json' | 'least' | 'most';

export interface Filled {
  readonly call: Call;
  readonly problems: Readonly<Record<string, FieldProblem>>;
}

/** Members without a field: the page requests complete answers, and its session identifies the person. */
const NOT_ASKED: ReadonlySet<string> = new Set(['model', 'user', 'stream', 'stream_format', 'partial_images', 'async']);

export function fieldsOf({ parameters }: Operation): readonly Parameter[] {
  return parameters.filter(({ name }) => !NOT_ASKED.has(name));
}

/** Returns the request for the fields' values, and their problems. */
export function filled(operation: Operation, model: string, values: Values): Filled {
  const problems: Record<string, FieldProblem> = {};
  const members: [string, unknown][] = [['model', model]];
  for (const parameter of fieldsOf(operation)) {
    const value = sentOf(parameter, values[parameter.name] ?? '');
    if (value instanceof Problem) problems[parameter.name] = value.kind;
    else if (value !== undefined) members.push([parameter.name, value]);
    else if (parameter.isRequired) problems[parameter.name] = 'required';
  }
  // SDKs request base64 by default; the page shows numbers.
  if (operation.id === 'embeddings' && !members.some(([name]) => name === 'encoding_format'))
    members.push(['encoding_format', 'float']);
  const body = operation.isForm ? { form: members.flatMap(partsOf) } : { json: Object.fromEntries(members) };
  return { call: { path: operation.path, body }, problems };
}

class Problem {
  constructor(readonly kind: FieldProblem) {}
}

function sentOf(parameter: Parameter, given: string | readonly File[]): unknown {
  if (typeof given !== 'string') return given.length === 0 ? undefined : given[0];
  const { types } = parameter;
  if (given.trim() === '' || types.includes('file')) return undefined;
  if (types.includes('number') || (types.includes('integer') && !types.includes('string')))
    return numberIn(parameter, given);
  if (types.includes('boolean')) return given === 'true';
  if (types.includes('array')) return listIn(given, types.includes('string'));
  if (types.includes('object') && (!types.includes('string') || given.trim().startsWith('{'))) {
    const value = parseJson(given);
    return isObject(value) ? value : new Problem('json');
  }
  return given;
}

function numberIn({ types, minimum, maximum }: Parameter, text: string): number | Problem {
  const value = Number(text);
  if (!Number.isFinite(value) || (types.includes('integer') && !Number.isInteger(value))) return new Problem('number');
  if (minimum !== null && value < minimum) return new Problem('least');
  if (maximum !== null && value > maximum) return new Problem('most');
  return value;
}

/** Parses one item per line, or JSON. */
function listIn(text: string, mayBeOne: boolean): unknown {
  const json = text.trimStart().startsWith('[') ? parseJson(text) : undefined;
  if (Array.isArray(json)) return json;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return mayBeOne && lines.length === 1 ? lines[0] : lines;
}

function partsOf([name, value]: [string, unknown]): Part[] {
  if (value instanceof File || typeof value === 'string') return [[name, value]];
  if (Array.isArray(value))
    return value.map((one) => [`${name}[]`, typeof one === 'string' ? one : JSON.stringify(one)]);
  return [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]];
}

/** The parameters that most people use; the rest is folded. */
const MAIN: ReadonlySet<string> = new Set([
  ...['prompt', 'input', 'query', 'documents', 'file', 'image', 'mask', 'image_url', 'voice', 'response_format'],
  ...['language', 'size', 'quality', 'n', 'duration', 'resolution', 'aspect_ratio', 'format', 'speed', 'dimensions'],
  ...['top_n', 'title', 'tags', 'action', 'instructions'],
]);

export function isMain({ name, isRequired }: Parameter): boolean {
  return isRequired || MAIN.has(name);
}
