import { describe, expect, test } from 'bun:test';
import type { Message } from '../../../domain/exchange/part.ts';
import { encode, foreign, target } from './testing/samples.ts';

const user: Message = { role: 'user', parts: [{ type: 'text', text: 'Hi' }] };
const strictTools = (count: number, a: object) =>
  Array.from({ length: count }, (_, at) => ({
    ...({ type: 'function', name: `f${at}`, description: null, strict: true, path: `tools[${at}]` } as const),
    parameters: { type: 'object', properties: { a } },
  }));

function strictness(tools: ReturnType<typeof strictTools>) {
  const { body, losses } = encode(foreign({ messages: [user], tools }), target('claude-opus-5'));
  const strict = body.tools.filter((tool: { strict?: boolean }) => tool.strict === true).length;
  return { strict, lost: losses.filter((loss) => loss.endsWith('.strict: dropped')) };
}

describe('strict tools', () => {
  test('stay strict up to the first twenty', () => {
    expect(strictness(strictTools(20, { type: 'string' }))).toEqual({ strict: 20, lost: [] });
    expect(strictness(strictTools(22, { type: 'string' }))).toEqual({
      strict: 20,
      lost: ['tools[20].strict: dropped', 'tools[21].strict: dropped'],
    });
  });

  test('stay strict up to the first sixteen union types', () => {
    const nullable = { type: ['string', 'null'] };
    expect(strictness(strictTools(16, nullable))).toEqual({ strict: 16, lost: [] });
    expect(strictness(strictTools(17, nullable))).toEqual({ strict: 16, lost: ['tools[16].strict: dropped'] });
  });
});

describe('a schema', () => {
  const encoded = (parameters: Readonly<Record<string, unknown>>) => {
    const tool = {
      type: 'function',
      name: 'f',
      description: null,
      strict: null,
      path: 'tools[0]',
      parameters,
    } as const;
    const { body, losses } = encode(foreign({ messages: [user], tools: [tool] }), target('claude-opus-5'));
    return { schema: body.tools[0].input_schema, losses };
  };

  test('has no union at its top level', () => {
    const branch = { properties: { a: { type: 'string' } }, required: ['a'] };
    expect(encoded({ anyOf: [branch] })).toEqual({
      schema: { ...branch, type: 'object', description: `{anyOf: ${JSON.stringify([branch])}}` },
      losses: ['tools[0].parameters: approximated'],
    });
  });

  test('with unsupported argument names is refused by name', () => {
    const { losses } = encoded({ type: 'object', properties: { 'filter[id]': {} } });
    expect(losses).toEqual(['tools[0].parameters.properties.filter[id]: refused']);
  });
});
