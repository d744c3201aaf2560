import { readFileSync } from 'node:fs';
import path from 'node:path';
import { asArray, asObject, isObject } from '../shared/json.ts';
import { sharedFolder } from '../shared/recordings.ts';

/** How a server without optional fields writes a member that it does not use. */
export type Zeros = 'zero' | 'null' | 'empty';

/** The members of an object in a response. */
export interface Fields {
  readonly members: Map<string, Fields>;
  /** The members of a list's items. */
  items: Fields | null;
  kind: 'text' | 'number' | 'flag' | 'list' | 'object' | 'unknown';
}

/** A component of a published document that describes a response or an event. */
interface Described {
  readonly file: string;
  readonly component: string;
}

const MAX_DEPTH = 9;

export function noFields(kind: Fields['kind'] = 'unknown'): Fields {
  return { members: new Map(), items: null, kind };
}

/**
 * Returns the fields of all components combined: a server's single type for a union has the members of every
 * branch.
 */
export function publishedFields(described: readonly Described[]): Fields {
  const fields = noFields('object');
  for (const { file, component } of described) {
    const document = documentOf(file);
    addSchema(fields, schemaNamed(document, component), document, new Set(), 0);
  }
  return fields;
}

const documents = new Map<string, unknown>();

function documentOf(file: string): unknown {
  const known = documents.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(path.join(sharedFolder, 'specs', file), 'utf8');
  const document: unknown = file.endsWith('.json') ? JSON.parse(text) : Bun.YAML.parse(text);
  documents.set(file, document);
  return document;
}

function schemaNamed(document: unknown, name: string): unknown {
  const schema = asObject(asObject(asObject(document).components).schemas)[name];
  if (schema === undefined) throw new Error(`the document has no schema ${name}`);
  return schema;
}

function addSchema(into: Fields, schema: unknown, document: unknown, seen: ReadonlySet<string>, depth: number): void {
  if (!isObject(schema) || depth > MAX_DEPTH) return;
  if (typeof schema.$ref === 'string') {
    if (seen.has(schema.$ref)) return;
    const name = decodeURIComponent(schema.$ref.split('/').at(-1) ?? '');
    addSchema(into, schemaNamed(document, name), document, new Set([...seen, schema.$ref]), depth);
    return;
  }
  for (const branch of [...asArray(schema.allOf), ...asArray(schema.anyOf), ...asArray(schema.oneOf)]) {
    addSchema(into, branch, document, seen, depth);
  }
  const kind = kindOf(schema);
  if (into.kind === 'unknown') into.kind = kind;
  for (const [name, member] of Object.entries(asObject(schema.properties))) {
    addSchema(memberOf(into, name), member, document, seen, depth + 1);
  }
  if (schema.items !== undefined) {
    into.items ??= noFields();
    addSchema(into.items, schema.items, document, seen, depth + 1);
  }
}

function memberOf(fields: Fields, name: string): Fields {
  const known = fields.members.get(name);
  if (known !== undefined) return known;
  const made = noFields();
  fields.members.set(name, made);
  return made;
}

function kindOf(schema: Readonly<Record<string, unknown>>): Fields['kind'] {
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== 'null') : schema.type;
  if (type === 'string' || typeof asArray(schema.enum)[0] === 'string' || typeof schema.const === 'string')
    return 'text';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean') return 'flag';
  if (type === 'array') return 'list';
  return type === 'object' || schema.properties !== undefined ? 'object' : 'unknown';
}

/** Text that the model generated for a client's tool: the server does not define its members. */
const FREE_FORM: ReadonlySet<string> = new Set([
  'input',
  'args',
  'arguments',
  'structured',
  'parameters',
  'schema',
  'metadata',
]);

/** Adds the members of a recorded response, since providers send undocumented ones. */
export function learn(into: Fields, value: unknown): void {
  if (Array.isArray(value)) {
    if (into.kind === 'unknown') into.kind = 'list';
    into.items ??= noFields();
    for (const item of value) learn(into.items, item);
  } else if (isObject(value)) {
    if (into.kind === 'unknown') into.kind = 'object';
    for (const [name, member] of Object.entries(value)) if (!FREE_FORM.has(name)) learn(memberOf(into, name), member);
  } else if (into.kind === 'unknown') {
    if (typeof value === 'string') into.kind = 'text';
    else if (typeof value === 'number') into.kind = 'number';
    else if (typeof value === 'boolean') into.kind = 'flag';
  }
}

/** Returns the zero value of a field; with `zero`, an object has all of its members, each with its zero. */
export function zeroOf(fields: Fields, zeros: Zeros, depth = 0): unknown {
  if (zeros === 'null') return null;
  switch (fields.kind) {
    case 'text':
      return '';
    case 'number':
      return 0;
    case 'flag':
      return false;
    case 'list':
      return [];
    case 'object': {
      if (zeros === 'empty' || depth >= 3) return {};
      const members = [...fields.members].filter(([, member]) => member.kind !== 'unknown');
      return Object.fromEntries(members.map(([name, member]) => [name, zeroOf(member, zeros, depth + 1)]));
    }
    case 'unknown':
      return null;
  }
}
