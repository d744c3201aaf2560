import { describe, expect, test } from 'bun:test';
import { withPlainReferences } from './schema-references.ts';

const A = { type: 'string' };

describe('schema references', () => {
  test.each([
    [{ type: 'object', properties: { a: A } }],
    [{ type: 'object', properties: { a: { $ref: '#/$defs/A' } }, $defs: { A } }],
    [{ type: 'object', properties: { $ref: A, definitions: A } }],
  ])('leave a schema without others the same object (%#)', (schema) => {
    expect(withPlainReferences(schema).schema).toBe(schema);
  });

  test('keep the members beside them', () => {
    const schema = { properties: { a: { $ref: '#/$defs/A', description: 'd' } }, $defs: { A } };
    expect(withPlainReferences(schema).schema).toEqual({
      properties: { a: { description: 'd', anyOf: [{ $ref: '#/$defs/A' }] } },
      $defs: { A },
    });
  });

  test('of older drafts, and to any other place, become definitions of the root', () => {
    const schema = {
      properties: {
        a: { $ref: '#/definitions/A' },
        b: { $ref: '#/$defs/A' },
        c: { items: { $ref: '#/properties/d~1e' } },
        'd/e': A,
      },
      definitions: { A },
      $defs: { A: { type: 'integer' } },
    };
    expect(withPlainReferences(schema)).toEqual({
      schema: {
        properties: {
          ...{ a: { $ref: '#/$defs/A' }, b: { $ref: '#/$defs/A_2' }, c: { items: { $ref: '#/$defs/d_1e' } } },
          'd/e': A,
        },
        $defs: { A, A_2: { type: 'integer' }, d_1e: A },
      },
      lost: [],
    });
  });

  test('in cycles stay finite', () => {
    const Node = { type: 'object', properties: { next: { $ref: '#/definitions/Node' }, root: { $ref: '#' } } };
    const { schema } = withPlainReferences({ $ref: '#/definitions/Node', definitions: { Node }, $schema: 's' });
    expect(schema).toMatchObject({
      type: 'object',
      properties: { next: { $ref: '#/$defs/Node' } },
      $defs: { Node: { properties: { next: { $ref: '#/$defs/Node' } } } },
    });
  });

  test('without a target are dropped and reported', () => {
    const schema = { properties: { a: { $ref: 'https://a.example/b.json', title: 't' }, b: { $ref: '#/$defs/B' } } };
    expect(withPlainReferences(schema)).toEqual({
      schema: { properties: { a: { title: 't' }, b: {} } },
      lost: ['https://a.example/b.json', '#/$defs/B'],
    });
    expect(withPlainReferences({ $ref: '#' }).schema).toEqual({});
  });

  test('that would expand a small schema enormously are left alone', () => {
    let deep: Record<string, unknown> = { type: 'object' };
    const references: Record<string, unknown> = {};
    let pointer = '#/properties/deep';
    for (let level = 0; level < 450; level++) {
      deep = {
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`p${n}`, A])),
        items: deep,
      };
      references[`r${level}`] = { $ref: pointer };
      pointer += '/items';
    }
    const schema = { properties: { deep, ...references } };
    expect(withPlainReferences(schema).schema).toBe(schema);
  });
});
