import { describe, expect, test } from 'bun:test';
import { type Capabilities, type ModelFeature, NOTHING_KNOWN } from '../../../domain/catalog/capabilities.ts';
import { resolveModel } from '../../../domain/catalog/resolve-model.ts';
import { toolsBeyondStated, withToolsFirst } from './tool-ability.ts';

const MODEL = resolveModel('m', { declared: undefined, known: undefined, provider: null });
const FUNCTION = { name: 'look', parameters: { type: 'object', properties: {} } };
const WITH_TOOLS: readonly (readonly [string, object, string])[] = [
  ['chat', { tools: [{ type: 'function', function: FUNCTION }] }, 'tools'],
  ['chat, freeform', { tools: [{ type: 'custom', custom: { name: 'run' }, name: 'run' }] }, 'tools'],
  ['a legacy chat function', { functions: [FUNCTION] }, 'functions'],
  ['Responses', { tools: [{ type: 'web_search' }, { type: 'function', ...FUNCTION }] }, 'tools'],
  ['Messages', { tools: [{ name: 'look', input_schema: {} }] }, 'tools'],
  ['Gemini', { tools: [{ functionDeclarations: [FUNCTION] }] }, 'tools'],
];
const WITHOUT_TOOLS: readonly (readonly [string, object])[] = [
  ['nothing', {}],
  ['none', { tools: [], functions: [] }],
  ['null', { tools: null }],
  ['a search run by the provider', { tools: [{ type: 'web_search' }] }],
  ['an Anthropic tool', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
  ['a Google tool', { tools: [{ googleSearch: {} }, { functionDeclarations: [] }] }],
  ['an invalid tool', { tools: ['look', 7] }],
];

describe('a model with declared features other than tools', () => {
  const model = { ...MODEL, statedFeatures: ['streaming'] as const };

  test.each(WITH_TOOLS)('refuses the tools of %s by name', (_, body, param) => {
    expect(toolsBeyondStated(model, { ...body })).toMatchObject({
      ...{ code: 'unsupported_parameter', status: 400, retry: 'never', details: { param } },
    });
    expect(toolsBeyondStated({ ...model, statedFeatures: ['streaming', 'tools'] }, { ...body })).toBeNull();
    expect(toolsBeyondStated(MODEL, { ...body })).toBeNull();
  });

  test.each(WITHOUT_TOOLS)('accepts %s', (_, body) => {
    expect(toolsBeyondStated(model, { ...body })).toBeNull();
  });
});

test('channels without tools in their catalog entry come last for requests with tools', () => {
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
