import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { asObject, isObject } from '../shared/json.ts';
import { sharedFolder } from '../shared/recordings.ts';
import type { DocumentName, Variant } from './document.ts';
import { RELAXATIONS, type Relaxation } from './relaxations.ts';

/** A JSON Schema object of a document. */
export type Schema = Readonly<Record<string, unknown>>;

const specsFolder = path.join(sharedFolder, 'specs');
const FILES: Readonly<Record<DocumentName, string>> = {
  anthropic: 'anthropic.openapi.json',
  gemini: 'gemini-v1beta.openapi.json',
  openai: 'openai.openapi.json',
  openresponses: 'openresponses-2026-04-24.openapi.json',
};

/** Returns why nothing can be judged, or `undefined` if it can. */
export function documentsMissing(): string | undefined {
  const absent = Object.values(FILES)
    .map((file) => path.join(specsFolder, file))
    .find((file) => !existsSync(file));
  return absent === undefined ? undefined : `skipped: there are no published documents here (${absent} is absent)`;
}

const loaded = new Map<string, Readonly<Record<string, Schema>>>();

/** Returns the document's `components.schemas`, with the relaxations for the variant; each is read once. */
export function schemasOf(name: DocumentName, variant: Variant): Readonly<Record<string, Schema>> {
  const key = `${name}:${variant}`;
  const known = loaded.get(key);
  if (known !== undefined) return known;
  const document: unknown = JSON.parse(readFileSync(path.join(specsFolder, FILES[name]), 'utf8'));
  const schemas = { ...asObject(asObject(asObject(document).components).schemas), ...ownSchemas(name, document) };
  for (const relaxation of RELAXATIONS) {
    if (relaxation.document === name && relaxation.holdsFor.includes(variant)) applyRelaxation(schemas, relaxation);
  }
  // Every value of `components.schemas` is a schema object in these four documents.
  const typed = schemas as Readonly<Record<string, Schema>>;
  loaded.set(key, typed);
  return typed;
}

/** Returns the `components.schemas` of a provider with its own dialect of chat completions: what its clients may send. */
export function dialectSchemas(provider: string): Readonly<Record<string, Schema>> {
  const document: unknown = Bun.YAML.parse(readFileSync(path.join(specsFolder, `${provider}.openapi.yaml`), 'utf8'));
  // Every value of `components.schemas` is a schema object in these documents, too.
  return asObject(asObject(asObject(document).components).schemas) as Readonly<Record<string, Schema>>;
}

/** Returns schemas for what a document says outside its named schemas, or in several of them, under names of our own. */
function ownSchemas(name: DocumentName, document: unknown): Readonly<Record<string, Schema>> {
  switch (name) {
    case 'anthropic':
      return {
        '*AnyParams': anyOf('CreateMessageParams', 'BetaCreateMessageParams'),
        '*AnyMessage': anyOf('Message', 'BetaMessage'),
        '*AnyStreamEvent': anyOf('MessageStreamEvent', 'BetaMessageStreamEvent', 'ErrorResponse'),
      };
    case 'gemini':
      // The document describes `google.rpc.Status`; the HTTP mapping of Google's APIs puts it under `error` with the code's name.
      return {
        '*ErrorResponse': {
          type: 'object',
          required: ['error'],
          properties: {
            error: {
              allOf: [{ $ref: '#/components/schemas/Status' }],
              required: ['code', 'message', 'status'],
              properties: { status: { type: 'string' } },
            },
          },
        },
      };
    case 'openresponses': {
      const responses = asObject(asObject(asObject(asObject(document).paths)['/responses']).post).responses;
      const content = asObject(asObject(asObject(asObject(responses)['200']).content)['text/event-stream']);
      return { '*StreamEvent': asObject(content.schema) };
    }
    case 'openai':
      return {};
  }
}

function anyOf(...names: readonly string[]): Schema {
  return { anyOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })) };
}

/** A relaxation whose path or value is not in the document is an error, because it would have no effect. */
function applyRelaxation(schemas: Readonly<Record<string, unknown>>, relaxation: Relaxation): void {
  for (const schema of relaxation.schemas) {
    const where = `${schema}/${relaxation.at}`;
    const target = where.split('/').reduce<unknown>(stepInto, schemas);
    if (relaxation.add !== undefined) {
      if (!Array.isArray(target)) throw new Error(`the document ${relaxation.document} has no list at ${where}`);
      target.push(...relaxation.add);
    }
    for (const value of relaxation.remove ?? []) {
      if (!takeOut(target, value)) throw new Error(`the document ${relaxation.document} has no ${value} at ${where}`);
    }
  }
}

function takeOut(target: unknown, value: string): boolean {
  if (!Array.isArray(target)) return isObject(target) && value in target && Reflect.deleteProperty(target, value);
  const index = target.indexOf(value);
  if (index >= 0) target.splice(index, 1);
  return index >= 0;
}

function stepInto(value: unknown, step: string): unknown {
  return Array.isArray(value) ? value[Number(step)] : asObject(value)[step];
}
