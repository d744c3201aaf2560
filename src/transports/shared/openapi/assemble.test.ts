import { describe, expect, test } from 'bun:test';
import { parse } from 'yaml';
import { z } from 'zod';
import { assemble } from './assemble.ts';
import type { DescribedEndpoint } from './described-endpoint.ts';
import { SchemaComponents } from './schema-components.ts';
import { writeYaml } from './write-document.ts';

function endpoint(rest: Partial<DescribedEndpoint> = {}): DescribedEndpoint {
  return {
    method: 'post',
    path: '/things/{id}',
    operationId: 'makeThing',
    tag: 'Things',
    summary: 'Make a thing',
    security: ['api_key'],
    pathParameters: z.object({ id: z.string().describe('Which one.') }),
    query: z.object({ limit: z.int().max(5).optional(), cursor: z.string() }),
    body: { content: { 'application/json': { schema: z.object({ name: z.string() }).meta({ id: 'NewThing' }) } } },
    answers: [{ status: 201, description: 'Made.', content: { 'application/json': { schema: z.object({}) } } }],
    errors: ['invalid_api_key', 'rate_limit_exceeded', { code: 'model_not_found', status: 400 }],
    envelope: 'openai',
    ...rest,
  };
}

const TAGS = [{ name: 'Things', description: 'All things.' }];
const INFO = { title: 'Gateway', version: '1.2.3', serverUrl: '/' };

function assembled(...endpoints: readonly DescribedEndpoint[]) {
  return assemble([{ schemaPrefix: '', tags: TAGS, endpoints }], INFO);
}

describe('schemas of OpenAPI 3.0.3', () => {
  const schemaOf = (schema: z.ZodType, direction: 'input' | 'output' = 'input') => {
    const components = new SchemaComponents();
    return { root: components.add(schema, direction, 'Root'), all: components.all() };
  };
  const NULL = { type: 'string', nullable: true, enum: [null] };

  test.each([
    [z.string().nullish(), { type: 'string', nullable: true }],
    [z.enum(['a', 'b']).nullable(), { type: 'string', nullable: true, enum: ['a', 'b', null] }],
    [
      z.union([z.string(), z.array(z.string())]).nullish(),
      { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }, NULL] },
    ],
    [z.object({ a: z.int() }).meta({ id: 'A' }).nullable(), { anyOf: [{ $ref: '#/components/schemas/A' }, NULL] }],
    [z.any().nullable(), {}],
    [z.number().multipleOf(1).min(2), { type: 'integer', minimum: 2 }],
    [z.int(), { type: 'integer' }],
    [z.iso.datetime(), { type: 'string', format: 'date-time' }],
    [z.custom<string>(() => true).meta({ type: 'string' }), { type: 'string' }],
    [z.object({}), { type: 'object', additionalProperties: true }],
    [
      z.object({ a: z.string(), b: z.string().meta({ hidden: true }) }),
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    ],
    [
      z.strictObject({ a: z.string().optional() }),
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
    ],
  ])('%#', (schema, expected) => {
    expect(schemaOf(schema).root).toEqual(expected);
  });

  test('a response may have further members, unless its schema forbids them', () => {
    const { root } = schemaOf(
      z.object({ open: z.object({ a: z.string() }), closed: z.strictObject({ a: z.string() }) }),
      'output',
    );
    const { open, closed } = root.properties as Record<string, Record<string, unknown>>;
    expect([root.additionalProperties, open?.additionalProperties, closed?.additionalProperties]).toEqual([
      undefined,
      undefined,
      false,
    ]);
  });

  test('a discriminated union has named branches and a mapping', () => {
    const union = z.discriminatedUnion('type', [
      z.object({ type: z.literal('text_delta'), text: z.string() }),
      z.object({ type: z.enum(['start', 'stop']) }).meta({ id: 'Edge' }),
    ]);
    const { root, all } = schemaOf(z.object({ event: union }));
    expect(root.properties).toEqual({
      event: {
        oneOf: [{ $ref: '#/components/schemas/RootEventTextDelta' }, { $ref: '#/components/schemas/Edge' }],
        discriminator: {
          propertyName: 'type',
          mapping: {
            text_delta: '#/components/schemas/RootEventTextDelta',
            start: '#/components/schemas/Edge',
            stop: '#/components/schemas/Edge',
          },
        },
      },
    });
    expect(Object.keys(all)).toEqual(['Edge', 'RootEventTextDelta']);
  });

  test('two different schemas with the same name get different names, also in references', () => {
    const components = new SchemaComponents();
    const thing = z.object({ a: z.string() }).meta({ id: 'Thing' });
    components.add(thing, 'input', 'Root');
    components.add(thing, 'input', 'Root');
    components.ofPart('Management');
    const other = z.object({ b: z.string() }).meta({ id: 'Thing' });
    const { properties } = components.add(z.object({ other, all: z.array(other) }), 'input', 'Root');
    const reference = { $ref: '#/components/schemas/ManagementThing' };
    expect(properties).toEqual({ other: reference, all: { type: 'array', items: reference } });
    expect(components.add(z.object({ c: z.string() }).meta({ id: 'Thing' }), 'input', 'Root')).toEqual({
      $ref: '#/components/schemas/ManagementThing2',
    });
    expect(Object.keys(components.all())).toEqual(['ManagementThing', 'ManagementThing2', 'Thing']);
  });
});

describe('an operation', () => {
  test('has its parameters, with the required ones marked', async () => {
    const { paths } = await assembled(endpoint());
    expect(paths['/things/{id}']?.post?.parameters).toEqual([
      { name: 'id', in: 'path', required: true, description: 'Which one.', schema: { type: 'string' } },
      { name: 'limit', in: 'query', required: false, schema: { type: 'integer', maximum: 5 } },
      { name: 'cursor', in: 'query', required: true, schema: { type: 'string' } },
    ]);
  });

  test('has a shared response for each status of its errors', async () => {
    const document = await assembled(endpoint(), endpoint({ method: 'put', operationId: 'putThing' }));
    const { responses } = document.components as { responses: Record<string, Record<string, unknown>> };
    expect(Object.keys(responses)).toEqual(['BadRequest', 'TooManyRequests', 'Unauthorized']);
    expect(responses.TooManyRequests?.headers).toHaveProperty('retry-after');
    expect(responses.BadRequest?.['x-error-codes']).toEqual(['model_not_found']);
    expect(Object.keys(document.paths['/things/{id}']?.put?.responses ?? {})).toEqual(['201', '400', '401', '429']);
  });

  test('describes its members, and fails for an unknown one', async () => {
    const schema = z.object({ name: z.string().nullish() }).meta({ id: 'NewThing' });
    const body = (fields: Record<string, { description: string }>) => ({
      content: { 'application/json': { schema, fields } },
    });
    const document = await assembled(endpoint({ body: body({ name: { description: 'How it is called.' } }) }));
    expect(document.components).toHaveProperty('schemas.NewThing.properties.name', {
      type: 'string',
      nullable: true,
      description: 'How it is called.',
    });
    await expect(assembled(endpoint({ body: body({ gone: { description: '' } }) }))).rejects.toThrow('no member gone');
  });

  test('is described once', async () => {
    await expect(assembled(endpoint(), endpoint())).rejects.toThrow('post /things/{id} is described twice');
  });
});

test('YAML equals JSON', async () => {
  const document = await assembled(endpoint({ description: 'Two\n\nparagraphs: "quoted"\n' }));
  expect(parse(await writeYaml(document))).toEqual(JSON.parse(JSON.stringify(document)));
});
