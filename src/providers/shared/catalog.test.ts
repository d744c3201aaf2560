import { describe, expect, test } from 'bun:test';
import { catalogOf } from './catalog.ts';
import { checkCatalog } from './catalog-schema.ts';

const BIG = `
  - id: big
    name: Big
    owned_by: acme
    category: chat
    description: The big one.
    tags: [reasoning]
    released: 2026-01-02
    input: [text, image]
    output: [text]
    features: [streaming, tools]
    context: 1000
    max_output: 500
    parameters: { chat.completions: { n: { maximum: 1 }, seed: null } }
    pricing: { input_per_1m: "2", output_per_1m: "10" }`;

const LISTED = Date.UTC(2026, 10, 21);

function load(models: string, head = 'source: https://acme.test/prices\nchecked: 2026-11-21') {
  const yaml = `${head}\nmodels:${models}\n`;
  checkCatalog('acme', yaml);
  return catalogOf('acme', yaml)();
}

/** Returns the only model of a file with these lines added to the required ones. */
function one(...lines: readonly string[]) {
  const [model] = load(
    `\n  - id: one\n    owned_by: acme\n    category: chat${lines.map((line) => `\n    ${line}`).join('')}`,
  );
  return model;
}

const bad =
  (...lines: readonly string[]) =>
  () =>
    one(...lines);

describe('an entry', () => {
  test('has all its fields', () => {
    expect(load(BIG)).toEqual([
      {
        provider: 'acme',
        id: 'big',
        name: 'Big',
        description: 'The big one.',
        ownedBy: 'acme',
        category: 'chat',
        tags: ['reasoning'],
        releasedAtMs: Date.UTC(2026, 0, 2),
        listedAtMs: LISTED,
        capabilities: {
          input: ['text', 'image'],
          output: ['text'],
          features: ['streaming', 'tools'],
          contextTokens: 1000,
          maxOutputTokens: 500,
          dimensions: null,
        },
        operations: ['chat.completions', 'responses', 'messages', 'generate_content'],
        parameters: { 'chat.completions': { n: { maximum: 1 }, seed: null } },
        pricing: { input_per_1m: '2', output_per_1m: '10' },
        priceSource: { url: 'https://acme.test/prices', date: '2026-11-21' },
      },
    ]);
  });

  test('without modalities and price has text, and no price', () => {
    expect(one()).toMatchObject({
      name: 'one',
      description: null,
      releasedAtMs: null,
      listedAtMs: LISTED,
      pricing: null,
      priceSource: null,
    });
    expect(one()?.capabilities).toMatchObject({ input: ['text'], output: ['text'], features: [], contextTokens: null });
  });

  test('may name its own page of prices', () => {
    const model = one('pricing: free', 'price_source: https://acme.test/one', 'price_checked: 2026-11-20');
    expect(model?.priceSource).toEqual({ url: 'https://acme.test/one', date: '2026-11-20' });
  });
});

describe('an entry like another', () => {
  test('has its facts, except for its own', () => {
    const [big, small] = load(`${BIG}\n  - { id: small, like: big, name: Small, context: 100 }`);
    if (big === undefined) throw new Error('there are two models');
    const capabilities = { ...big.capabilities, contextTokens: 100 };
    expect(small).toEqual({ ...big, id: 'small', name: 'Small', capabilities });
  });

  test('replaces its price as a whole, with the source', () => {
    const small = '{ id: small, like: big, pricing: { output_per_1m: "1" }, price_source: https://acme.test/small }';
    expect(load(`${BIG}\n  - ${small}`)[1]).toMatchObject({
      pricing: { output_per_1m: '1' },
      priceSource: { url: 'https://acme.test/small', date: '2026-11-21' },
    });
  });

  test('may have an unknown price instead', () => {
    expect(load(`${BIG}\n  - { id: small, like: big, pricing: unknown }`)[1]).toMatchObject({
      pricing: null,
      priceSource: null,
    });
  });

  test('may refer to another provider, and keeps its own', () => {
    const models = catalogOf('other', 'models: [{ id: o/big, like: big }]', () => load(BIG))();
    expect(models).toMatchObject([{ provider: 'other', id: 'o/big', name: 'Big', ownedBy: 'acme' }]);
    expect(models[0]?.priceSource?.url).toBe('https://acme.test/prices');
  });

  test('cannot refer to a later or missing one', () => {
    expect(() => load(`\n  - { id: small, like: big }${BIG}`)).toThrow(
      'acme/small: there is no model "big" for "like"',
    );
  });
});

describe('a price', () => {
  test('by length of the prompt becomes a period with tiers', () => {
    const tiers = '[{ above_input_tokens: 1000, input_per_1m: "4" }, { above_input_tokens: 5000, input_per_1m: "8" }]';
    expect(one(`pricing: { input_per_1m: "2", tiers: ${tiers} }`)?.pricing).toEqual([
      {
        effectiveFromMs: null,
        prices: { input_per_1m: '2' },
        tiers: [
          { aboveInputTokens: 1000, prices: { input_per_1m: '4' } },
          { aboveInputTokens: 5000, prices: { input_per_1m: '8' } },
        ],
      },
    ]);
  });

  test('by date becomes periods', () => {
    const periods = '[{ input_per_1m: "2" }, { effective_from: 2026-12-01, input_per_1m: "4" }]';
    expect(one(`pricing: ${periods}`)?.pricing).toEqual([
      { effectiveFromMs: null, prices: { input_per_1m: '2' }, tiers: [] },
      { effectiveFromMs: Date.UTC(2026, 11, 1), prices: { input_per_1m: '4' }, tiers: [] },
    ]);
  });

  test.each([
    ['without quotes', '{ input_per_1m: 2 }'],
    ['below zero', '{ input_per_1m: "-2" }'],
    ['of an unknown kind', '{ input_per_1k: "2" }'],
    ['without any price', '{}'],
    ['with a later period that has no date', '[{ input_per_1m: "2" }, { input_per_1m: "4" }]'],
    ['with a day that does not exist', '[{ effective_from: 2026-02-30, input_per_1m: "2" }]'],
    [
      'with tiers out of order',
      '{ input_per_1m: "2", tiers: [{ above_input_tokens: 9, input_per_1m: "4" }, { above_input_tokens: 5, input_per_1m: "3" }] }',
    ],
    ['that is null', 'null'],
  ])('%s is refused', (_what, pricing) => {
    expect(bad(`pricing: ${pricing}`)).toThrow(/^acme\/one: [\s\S]*pricing/);
  });
});

describe('a mistake is reported with the id and the field', () => {
  test.each([
    ['colour: red', 'colour'],
    ['tags: ["two words"]', 'tags'],
    ['input: [smell]', 'input'],
    ['features: [magic]', 'features'],
    ['operations: [chat.magic]', 'operations'],
    ['parameters: { chat.magic: {} }', 'parameters'],
    ['parameters: { responses: { n: { smallest: 1 } } }', 'smallest'],
    ['released: 2026-02-30', 'released'],
    ['context: 0', 'context'],
    ['price_source: http://acme.test', 'price_source'],
  ])('%s', (line, field) => {
    expect(bad(line)).toThrow(new RegExp(`^acme/one: [\\s\\S]*${field}`));
  });

  test('for an unknown category', () => {
    expect(() => load('\n  - { id: one, owned_by: acme, category: smell }')).toThrow(/^acme\/one: [\s\S]*category/);
  });

  test('for a missing category without a reference', () => {
    expect(() => load('\n  - { id: one, owned_by: acme }')).toThrow('acme/one: category and owned_by are required');
  });

  test('for a missing id', () => {
    expect(() => load('\n  - { owned_by: acme, category: chat }')).toThrow(/^acme\/\(no id\): [\s\S]*id/);
  });

  test('for a field of the file, with the provider', () => {
    expect(() => load(BIG, 'checked: yesterday')).toThrow(/^models\.yaml of acme: [\s\S]*checked/);
  });
});
