import { describe, expect, test } from 'bun:test';
import { clientFormats } from '../../../src/formats/index.ts';
import { publishedDocument } from '../documents.ts';

/* Every request field of a provider's published document is classified, so a new document with a new field fails here. */

type Schema = Readonly<Record<string, unknown>>;

const DOCUMENTS: readonly (readonly [format: string, file: string, schemas: readonly string[]])[] = [
  ['openai-chat', 'openai.openapi.json', ['CreateChatCompletionRequest']],
  ['openai-completions', 'openai.openapi.json', ['CreateCompletionRequest']],
  ['openai-responses', 'openai.openapi.json', ['CreateResponse']],
  ['anthropic-messages', 'anthropic.openapi.json', ['CreateMessageParams', 'BetaCreateMessageParams']],
  ['gemini', 'gemini-v1beta.openapi.json', ['GenerateContentRequest']],
];

/** How often a recursive schema (a JSON schema within a schema, a document within a document) is followed. */
const REPEATS = 1;

function record(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}

class Fields {
  readonly paths = new Set<string>();

  constructor(private readonly document: Schema) {}

  collect(schema: unknown, at: string, refs: readonly string[]): void {
    const one = record(schema);
    if (typeof one.$ref === 'string') {
      const ref = one.$ref;
      if (refs.filter((seen) => seen === ref).length < REPEATS) this.collect(this.resolve(ref), at, [...refs, ref]);
    }
    for (const word of ['allOf', 'anyOf', 'oneOf']) {
      const branches = one[word];
      if (Array.isArray(branches)) for (const branch of branches) this.collect(branch, at, refs);
    }
    if (one.items !== undefined) this.collect(one.items, `${at}[]`, refs);
    for (const [name, property] of Object.entries(record(one.properties))) {
      const field = at === '' ? name : `${at}.${name}`;
      this.paths.add(field);
      this.collect(property, field, refs);
    }
  }

  private resolve(ref: string): unknown {
    return ref
      .replace('#/', '')
      .split('/')
      .reduce<unknown>((value, name) => record(value)[decodeURIComponent(name.replaceAll('~1', '/'))], this.document);
  }
}

function requestFields(file: string, names: readonly string[]): readonly string[] {
  const document = record(publishedDocument(file));
  const schemas = record(record(document.components).schemas);
  const fields = new Fields(document);
  for (const name of names) {
    expect(Object.keys(schemas)).toContain(name);
    fields.collect(schemas[name], '', []);
  }
  return [...fields.paths];
}

describe('every field of the published document is classified', () => {
  for (const [name, file, schemas] of DOCUMENTS) {
    test(name, () => {
      const { fields } = clientFormats.get(name)!;
      const missing = requestFields(file, schemas).filter((field) => fields[field] === undefined);
      expect(missing).toEqual([]);
    });
  }
});
