import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FEATURES } from '../../domain/exchange/loss.ts';
import { carries } from './carries.ts';
import { fields, NAMES } from './fields.ts';

const document = join(import.meta.dir, '../../../../shared/specs/openai.openapi.json');

type Schema = Record<string, any>;

/** Every path of a schema, the branches of a union merged. */
function pathsOf(schema: Schema, path: string, schemas: Schema, above: readonly string[], out: Set<string>): void {
  if (schema.$ref) {
    const name = schema.$ref.split('/').pop();
    if (!above.includes(name)) pathsOf(schemas[name], path, schemas, [...above, name], out);
    return;
  }
  for (const branch of [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
    pathsOf(branch, path, schemas, above, out);
  }
  for (const [key, member] of Object.entries<Schema>(schema.properties ?? {})) {
    const inner = path === '' ? key : `${path}.${key}`;
    out.add(inner);
    pathsOf(member, inner, schemas, above, out);
  }
  if (schema.items) pathsOf(schema.items, `${path}[]`, schemas, above, out);
}

test.skipIf(!existsSync(document))('every field of the published document is classified', () => {
  const { schemas } = JSON.parse(readFileSync(document, 'utf8')).components;
  const paths = new Set<string>();
  pathsOf(schemas.CreateChatCompletionRequest, '', schemas, [], paths);
  expect([...paths].filter((path) => !(path in fields))).toEqual([]);
});

test('every name of a feature is a field, every feature has an entry', () => {
  expect(Object.values(NAMES).filter((name) => !(name in fields))).toEqual([]);
  expect(Object.keys(carries).sort()).toEqual([...FEATURES].sort());
});
