import { expect, test } from 'bun:test';
import { type Carries, FEATURES, Losses } from '../../domain/exchange/loss.ts';
import type { Quirk } from '../quirk.ts';
import { trimSchema } from './schema-keywords.ts';

// Every feature is carried: what is under test notes its losses by itself.
const carries = Object.fromEntries(FEATURES.map((feature) => [feature, 'exact'])) as Carries;
const newLosses = () => new Losses(carries, {});
const QUIRKS: readonly Quirk[] = [
  { kind: 'schema-keywords', refused: ['pattern', '$ref'], why: 'No patterns.' },
  { kind: 'schema-keywords', refused: ['minimum'], why: 'No bounds.' },
];

test('keywords of all such quirks go, wherever schemas stand; names and values stay', () => {
  const losses = newLosses();
  const schema = {
    type: 'object',
    properties: { pattern: { type: 'string', pattern: 'a' }, plain: { anyOf: [{ minimum: 1 }, true] } },
    $defs: { $ref: { $ref: '#' } },
    enum: [{ pattern: 'kept' }],
    default: { minimum: 1 },
    required: ['pattern'],
  };
  expect(trimSchema(schema, QUIRKS, 'tools[0].parameters', losses)).toEqual({
    type: 'object',
    properties: { pattern: { type: 'string' }, plain: { anyOf: [{}, true] } },
    $defs: { $ref: {} },
    enum: [{ pattern: 'kept' }],
    default: { minimum: 1 },
    required: ['pattern'],
  });
  expect(losses.all.map(({ field, verdict, why }) => `${field} ${verdict}: ${why}`)).toEqual([
    'tools[0].parameters.properties.pattern.pattern approximated: No patterns.',
    'tools[0].parameters.properties.plain.anyOf[0].minimum approximated: No bounds.',
    'tools[0].parameters.$defs.$ref.$ref approximated: No patterns.',
  ]);
});

test('without such a quirk the schema is the same object', () => {
  const schema = { pattern: 'a' };
  expect(trimSchema(schema, [], 'f', newLosses())).toBe(schema);
});
