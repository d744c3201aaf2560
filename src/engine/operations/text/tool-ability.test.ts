import { describe, expect, test } from 'bun:test';
import { type Capabilities, type ModelFeature, NOTHING_KNOWN } from '../../../domain/catalog/capabilities.ts';
import { resolveModel } from '../../../domain/catalog/resolve-model.ts';
import { toolsBeyondStated, withToolsFirst } from './tool-ability.ts';

const MODEL = resolveModel('m', { declared: undefined, known: undefined, provider: null });
const FUNCTION = { name: 'look', parameters: { type: 'object', properties: {} } };
const WITH_TOOLS: readonly (readonly [string, object, string])[] = [
  ['chat', { tools: [{ type: 'function', function: FUNCTION }] }, 'tools'],
  ['chat, freeform', { tools: [{ type: 'custom', custom: { name: 'run' }, name: 'run' }] }, 'tools'],
  ['chat of old', { functions: [FUNCTION] }, 'functions'],
  ['Responses', { tools: [{ type: 'web_search' }, { type: 'function', ...FUNCTION }] }, 'tools'],
  ['Messages', { tools: [{ name: 'look', input_schema: {} }] }, 'tools'],
  ['Gemini', { tools: [{ functionDeclarations: [FUNCTION] }] }, 'tools'],
];
const WITHOUT_TOOLS: readonly (readonly [string, object])[] = [
  ['nothing', {}],
  ['none', { tools: [], functions: [] }],
  ['null', { tools: null }],
  ['a search that the provider runs', { tools: [{ type: 'web_search' }] }],
  ['one of Anthropic', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
  ['one of Google', { tools: [{ googleSearch: {} }, { functionDeclarations: [] }] }],
  ['what is no tool', { tools: ['look', 7] }],
];

describe('a model of which features are stated without tools', () => {
  const model = { ...MODEL, statedFeatures: ['streaming'] as const };

  test.each(WITH_TOOLS)('refuses those of %s, and names them', (_, body, param) => {
    expect(toolsBeyondStated(model, { ...body })).toMatchObject({
      ...{ code: 'unsupported_parameter', status: 400, retry: 'never', details: { param } },
    });
    expect(toolsBeyondStated({ ...model, statedFeatures: ['streaming', 'tools'] }, { ...body })).toBeNull();
    expect(toolsBeyondStated(MODEL, { ...body })).toBeNull();
  });

  test.each(WITHOUT_TOOLS)('takes %s', (_, body) => {
    expect(toolsBeyondStated(model, { ...body })).toBeNull();
  });
});

test('channels whose catalogue entry has no tools come after all others, for requests with tools', () => {
  const target = (id: string, features: readonly ModelFeature[] | null) => {
    const capabilities: Capabilities | null = features && { ...NOTHING_KNOWN, features };
    return { id, ...(capabilities && { capabilities }) };
  };
  const targets = [
    target('plain', ['streaming']),
    target('able', ['tools']),
    target('unknown', null),
    target('bare', []),
  ];
  const order = (body: object) => withToolsFirst(targets, { ...body }).map(({ id }) => id);
  expect(order({ tools: [{ type: 'function', function: FUNCTION }] })).toEqual(['able', 'unknown', 'bare', 'plain']);
  expect(order({})).toEqual(['plain', 'able', 'unknown', 'bare']);
});
