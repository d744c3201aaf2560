import { expect, test } from 'bun:test';
import type { z } from 'zod';
import { FEATURES } from '../../../domain/exchange/loss.ts';
import { carries } from './capabilities.ts';
import { fields } from './fields.ts';
import { responsesRequest } from './schema.ts';

test('every field of the schema is classified', () => {
  const paths = new Set<string>();
  collect(responsesRequest, '', paths);
  expect(paths.size).toBeGreaterThan(50);
  expect([...paths].filter((path) => !(path in fields))).toEqual([]);
});

test('every class is a known feature, and every feature is carried or has a verdict', () => {
  const names = Object.values(fields).filter((fieldClass) => typeof fieldClass === 'string');
  expect(names.filter((name) => name !== 'exact' && !FEATURES.includes(name))).toEqual([]);
  expect(Object.keys(carries).toSorted()).toEqual([...FEATURES].toSorted());
});

/** Zod's own description of a type; unions are merged by path. */
function collect(type: z.core.$ZodType, path: string, paths: Set<string>): void {
  const definition = type._zod.def as any;
  if (definition.innerType) collect(definition.innerType, path, paths);
  if (definition.element) collect(definition.element, `${path}[]`, paths);
  for (const option of definition.options ?? []) collect(option, path, paths);
  for (const [key, value] of Object.entries(definition.shape ?? {})) {
    const inner = path === '' ? key : `${path}.${key}`;
    paths.add(inner);
    collect(value as z.core.$ZodType, inner, paths);
  }
}
