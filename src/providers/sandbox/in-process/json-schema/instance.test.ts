import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { z } from 'zod';
import { instanceOf } from './instance.ts';

type Schema = Record<string, unknown>;

/** Checks against Zod's own reading of the schema, which shares no code with the generator. */
function problems(schema: Schema, value: unknown): unknown[] {
  const result = z.fromJSONSchema(schema as any).safeParse(value);
  return result.success ? [] : result.error.issues;
}

function expectValid(schema: Schema): unknown {
  const value = instanceOf(schema);
  expect({ value, problems: problems(schema, value) }).toEqual({ value, problems: [] });
  return value;
}

const bounds = (minimum: number, maximum: number) =>
  fc.tuple(fc.integer({ min: minimum, max: maximum }), fc.nat(20)).map(([low, span]) => [low, low + span] as const);

const formats = ['date-time', 'date', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid', 'uri'];
const patterns = [
  '^[a-z]{3,8}$',
  '^\\d{4}-\\d{2}$',
  '^(foo|bar)+$',
  '^#[0-9a-fA-F]{6}$',
  '^[^@\\s]+@[^@\\s]+\\.[a-z]+$',
  '^\\+?[1-9]\\d{1,14}$',
];

const leaf: fc.Arbitrary<Schema> = fc.oneof(
  fc.constantFrom<Schema>({ type: 'null' }, { type: 'boolean' }, { type: 'string' }, { type: 'integer' }, {}),
  bounds(-50, 50).map(([minimum, maximum]) => ({ type: 'integer', minimum, maximum })),
  bounds(-50, 50).map(([low, high]) => ({ type: 'number', exclusiveMinimum: low, exclusiveMaximum: high + 1 })),
  fc.integer({ min: 1, max: 9 }).map((multipleOf) => ({ type: 'integer', multipleOf, minimum: 10 })),
  bounds(0, 40).map(([minLength, maxLength]) => ({ type: 'string', minLength, maxLength })),
  fc.constantFrom(...formats).map((format) => ({ type: 'string', format })),
  fc.constantFrom(...patterns).map((pattern) => ({ type: 'string', pattern })),
  fc
    .uniqueArray(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { minLength: 1, maxLength: 4 })
    .map((list) => ({ enum: list })),
  fc.oneof(fc.string(), fc.integer(), fc.boolean()).map((value) => ({ const: value })),
  fc.subarray(['string', 'number', 'null', 'boolean'], { minLength: 1 }).map((type) => ({ type })),
);

const key = fc.constantFrom('a', 'b', 'city', 'unit', 'first name', 'x-y');

const { schema: anySchema } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc
      .tuple(fc.dictionary(key, tie('schema'), { maxKeys: 4 }), fc.boolean(), fc.func(fc.boolean()))
      .map(([properties, additionalProperties, isRequired]) => ({
        type: 'object',
        properties,
        required: Object.keys(properties).filter((name) => isRequired(name)),
        additionalProperties,
      })),
    fc
      .tuple(tie('schema'), bounds(0, 3))
      .map(([items, [minItems, maxItems]]) => ({ type: 'array', items, minItems, maxItems })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    tie('schema').map((schema) => ({ allOf: [schema, {}] })),
  ),
}));

describe('laws', () => {
  test('an instance satisfies its schema', () => {
    fc.assert(
      fc.property(anySchema, (schema) => {
        expectValid(schema);
      }),
      { numRuns: 500 },
    );
  });

  test('an instance is JSON, and always the same', () => {
    fc.assert(
      fc.property(anySchema, (schema) => {
        const value = instanceOf(schema);
        expect(JSON.parse(JSON.stringify(value))).toEqual(value);
        expect(instanceOf(schema)).toEqual(value);
      }),
    );
  });

  test('a schema behind a reference has the same instance', () => {
    fc.assert(
      fc.property(anySchema, (schema) => {
        expect(instanceOf({ $ref: '#/$defs/a~1b', $defs: { 'a/b': schema } })).toEqual(instanceOf(schema));
      }),
    );
  });

  test('any JSON as a schema terminates quickly without an exception', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (schema) => void instanceOf(schema)),
      { numRuns: 500 },
    );
  });
});

const node = {
  type: 'object',
  properties: { value: { type: 'integer' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
  required: ['value', 'children'],
  additionalProperties: false,
};
const expression = {
  anyOf: [
    {
      type: 'object',
      properties: { left: { $ref: '#/$defs/expression' }, right: { $ref: '#/$defs/expression' } },
      required: ['left', 'right'],
      additionalProperties: false,
    },
    { type: 'number' },
  ],
};

describe('keywords', () => {
  test.each<[string, Schema]>([
    ['a tree', { $ref: '#/$defs/node', $defs: { node } }],
    ['an expression', { $ref: '#/$defs/expression', $defs: { expression } }],
    [
      'a list that ends with null',
      {
        $ref: '#/$defs/item',
        $defs: {
          item: {
            type: 'object',
            properties: { next: { anyOf: [{ $ref: '#/$defs/item' }, { type: 'null' }] } },
            required: ['next'],
          },
        },
      },
    ],
    ['oneOf where the first branch is within the second', { oneOf: [{ type: 'integer' }, { type: 'number' }] }],
    [
      'allOf with narrowing',
      {
        allOf: [
          { type: 'number', minimum: 3 },
          { type: 'integer', maximum: 3 },
        ],
      },
    ],
    [
      'allOf of objects',
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { type: 'object', properties: { a: { minLength: 20 }, b: { type: 'null' } }, required: ['b'] },
        ],
      },
    ],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false }],
    ['a map', { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 2 }],
    ['names by pattern', { type: 'object', propertyNames: { pattern: '^x_[a-z]+$' }, minProperties: 1 }],
    ['a narrow range', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.1 }],
    ['a decimal step', { type: 'number', multipleOf: 0.01, minimum: 0.5, maximum: 0.6 }],
  ])('%s', (_, schema) => {
    expectValid(schema);
  });

  test('uniqueItems is satisfied', () => {
    const schema = {
      type: 'array',
      items: { type: 'integer', minimum: 1, maximum: 3 },
      minItems: 3,
      uniqueItems: true,
    };
    expect(new Set(instanceOf(schema) as number[])).toEqual(new Set([1, 2, 3]));
    const texts = { type: 'array', items: { type: 'string', maxLength: 1 }, minItems: 5, uniqueItems: true };
    expect(new Set(instanceOf(texts) as string[]).size).toBe(5);
  });

  test('not is satisfied', () => {
    expect(instanceOf({ enum: ['a', 'b'], not: { const: 'a' } })).toBe('b');
  });

  test('an unsupported keyword does not disable the others', () => {
    const items = { type: 'integer', minimum: 5 };
    expect(instanceOf({ type: 'array', items, minItems: 2, contains: { const: 7 } })).toEqual([5, 5]);
    const properties = { a: { const: 1 } };
    expect(instanceOf({ type: 'object', properties, dependentRequired: { a: ['b'] } })).toEqual({ a: 1 });
  });

  test('a property named __proto__ is a property', () => {
    const value = instanceOf(JSON.parse('{"type":"object","properties":{"__proto__":{"const":1}}}'));
    expect(JSON.stringify(value)).toBe('{"__proto__":1}');
  });
});

describe('limits', () => {
  test.each<[string, Schema]>([
    ['an endless schema', { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] }],
    ['a cycle of references', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }],
    ['a billion items', { type: 'array', items: { type: 'string' }, minItems: 1e9 }],
    ['a billion characters', { type: 'string', minLength: 1e9 }],
    ['a billion repetitions', { type: 'string', pattern: '^(a{1000}){1000}$' }],
    ['a pattern that backtracks', { type: 'string', pattern: '^(\\w+\\s?)+$!', minLength: 5_000 }],
    [
      'many alternatives',
      {
        allOf: Array.from({ length: 40 }, () => ({ anyOf: [{ minLength: 1 }, { maxLength: 9 }, {}] })),
        type: 'null',
        const: 1,
      },
    ],
    [
      'wide and deep',
      {
        $ref: '#/$defs/a',
        $defs: {
          a: {
            type: 'object',
            required: ['b', 'c', 'd'],
            properties: { b: { $ref: '#/$defs/a' }, c: { $ref: '#/$defs/a' }, d: { $ref: '#/$defs/a' } },
          },
        },
      },
    ],
  ])('%s terminates, with an instance of modest size', (_, schema) => {
    const text = JSON.stringify(instanceOf(schema));
    expect(text.length).toBeLessThan(200_000);
  });
});
