import { describe, expect, test } from 'bun:test';
import { type Capabilities, type ModelFeature, NOTHING_KNOWN } from './capabilities.ts';
import {
  CHAT_OPERATIONS,
  type ModelOperation,
  OPERATIONS,
  type Parameter,
  type ParameterOverrides,
} from './model-operation.ts';
import { OPERATION_CONTRACTS } from './operation-contracts.ts';
import { publicContractOf, publicContractSummaryOf } from './public-contract.ts';

function contractOf(
  operations: readonly ModelOperation[],
  parameters: ParameterOverrides = {},
  capabilities: Capabilities | null = null,
) {
  return publicContractOf({ operations, parameters, capabilities });
}

function parametersOfImages(overrides: NonNullable<ParameterOverrides['images.generations']>) {
  return contractOf(['images.generations'], { 'images.generations': overrides }).operations[0]!.parameters;
}

describe('public contract', () => {
  test('the summary leads to the operation that the caller looks for', () => {
    const operations = ['audio.transcriptions', 'audio.translations'] as const;
    const endpointFor = (scene: 'translation' | 'stt' | 'image' | null) =>
      publicContractSummaryOf(operations, scene).request_endpoint;
    expect(endpointFor('translation')).toBe('/v1/audio/translations');
    expect([endpointFor('stt'), endpointFor('image'), endpointFor(null)]).toEqual(
      Array(3).fill('/v1/audio/transcriptions'),
    );
  });

  test('an operation in wire form', () => {
    const { operations } = contractOf(['rerank'], {});
    const parameters = expect.objectContaining({
      model: { type: 'string', required: true, description: 'A model id, as GET /v1/models lists them.' },
      top_n: { type: 'integer', required: false, minimum: 1, description: expect.any(String) },
      return_documents: { type: 'boolean', required: false, default: false, description: expect.any(String) },
    });
    expect(operations).toEqual([
      {
        operation: 'rerank',
        method: 'POST',
        endpoint: '/v1/rerank',
        content_type: 'application/json',
        result: 'inline',
        poll_endpoint: null,
        parameters,
      } as any,
    ]);
  });

  test('lengths have the names of the wire', () => {
    const { query, documents } = contractOf(['rerank'], {}).operations[0]!.parameters;
    expect(query).toMatchObject({ max_length: 32_000 });
    expect(documents).toMatchObject({ max_items: 1_000 });
  });

  test('values are listed', () => {
    const { encoding_format } = contractOf(['embeddings'], {}).operations[0]!.parameters;
    expect(encoding_format).toMatchObject({ default: 'float', enum: ['float', 'base64'] });
  });

  test('a task says where it is polled', () => {
    expect(contractOf(['videos.generations'], {}).operations[0]).toMatchObject({
      result: 'task',
      poll_endpoint: '/v1/tasks/{id}',
    });
  });

  test('every operation of a model, in its order, and the endpoint of the first', () => {
    const contract = contractOf(CHAT_OPERATIONS, {});
    expect(contract.operations.map(({ operation }) => operation)).toEqual([...CHAT_OPERATIONS]);
    expect(contract.request_endpoint).toBe('/v1/chat/completions');
  });

  test('no member has a name that is not of the wire', () => {
    const members = new Set<string>();
    for (const operation of contractOf(OPERATIONS, {}).operations) {
      for (const member of Object.keys(operation)) members.add(member);
      for (const parameter of Object.values(operation.parameters)) {
        for (const member of Object.keys(parameter)) members.add(member);
      }
    }
    expect([...members].filter((member) => /[^a-z_]/.test(member))).toEqual([]);
  });

  test('a model without operations has no endpoint', () => {
    expect(contractOf([], {})).toEqual({ request_endpoint: null, operations: [] });
  });
});

describe("a model's own parameters", () => {
  test('replace the members that they state and keep the others', () => {
    const { n } = parametersOfImages({ n: { maximum: 4 } });
    const { description } = OPERATION_CONTRACTS['images.generations'].parameters.n!;
    expect(n).toEqual({
      type: 'integer',
      required: false,
      default: 1,
      minimum: 1,
      maximum: 4,
      description: description!,
    });
  });

  test('null is a field that the model does not take', () => {
    expect(parametersOfImages({ style: null })).not.toHaveProperty('style');
  });

  test('null for a field that no model takes changes nothing', () => {
    expect(parametersOfImages({ nothing: null })).toEqual(parametersOfImages({}));
  });

  test('a field of its own comes after the general ones', () => {
    const parameters = parametersOfImages({ cfg_scale: { type: 'number', minimum: 0, maxItems: 2 } });
    expect(Object.keys(parameters).at(-1)).toBe('cfg_scale');
    expect(parameters.cfg_scale).toEqual({ type: 'number', required: false, minimum: 0, max_items: 2 });
  });

  test('a field of its own without a type may be anything', () => {
    expect(parametersOfImages({ extra: {} }).extra).toEqual({
      type: ['string', 'number', 'boolean', 'array', 'object'],
      required: false,
    });
  });

  test('concern only the operation that they are stated for', () => {
    const { operations } = contractOf(['images.generations', 'images.edits'], {
      'images.generations': { n: null },
    });
    expect(operations.map(({ parameters }) => 'n' in parameters)).toEqual([false, true]);
  });

  test('for an operation that the model does not serve are not shown', () => {
    expect(contractOf(['rerank'], { embeddings: { dimensions: { maximum: 8 } } })).toEqual(contractOf(['rerank'], {}));
  });

  test('leave the general contract as it is', () => {
    const before = structuredClone(OPERATION_CONTRACTS);
    parametersOfImages({ n: { maximum: 1 }, style: null, extra: { type: 'string' } });
    expect(OPERATION_CONTRACTS).toEqual(before);
  });

  const withoutDefault: [string, Partial<Parameter>][] = [
    ['a minimum above it', { minimum: 2 }],
    ['a maximum below it', { maximum: 0 }],
    ['values without it', { enum: [2, 4] }],
    ['being required', { required: true }],
  ];
  test.each(withoutDefault)('%s ends the general default', (_name, override) => {
    expect(parametersOfImages({ n: override }).n).not.toHaveProperty('default');
  });

  test('values without it end a general default that is a word', () => {
    const [speech] = contractOf(['audio.speech'], {
      'audio.speech': { response_format: { enum: ['wav', 'pcm'] } },
    }).operations;
    expect(speech!.parameters.response_format).not.toHaveProperty('default');
  });

  test('a default of its own stays', () => {
    expect(parametersOfImages({ n: { enum: [2, 4], default: 2 } }).n).toMatchObject({ default: 2, enum: [2, 4] });
  });
});

describe('public contract summary', () => {
  test('has the operations and the endpoint of the first, and nothing else', () => {
    expect(publicContractSummaryOf(['images.edits', 'images.generations'])).toEqual({
      public_operations: ['images.edits', 'images.generations'],
      request_endpoint: '/v1/images/edits',
    });
  });

  test('a model without operations has no endpoint', () => {
    expect(publicContractSummaryOf([])).toEqual({ public_operations: [], request_endpoint: null });
  });
});

describe('what a model cannot do', () => {
  const fieldsOf = (features: readonly ModelFeature[] | null) =>
    contractOf(
      ['chat.completions', 'messages', 'responses', 'generate_content'],
      {},
      features && { ...NOTHING_KNOWN, features },
    ).operations.flatMap(({ parameters }) => Object.keys(parameters));

  test('is no parameter of it, in any format', () => {
    expect(fieldsOf([]).filter((name) => /tool|reasoning|thinking/i.test(name))).toEqual([]);
    expect(fieldsOf(['tools']).filter((name) => /reasoning|thinking/i.test(name))).toEqual([]);
    expect(fieldsOf(['reasoning'])).not.toContain('tools');
  });

  test('is one where it can, or where nobody has said', () => {
    const named = [
      'tools',
      'tool_choice',
      'parallel_tool_calls',
      'toolConfig',
      'reasoning_effort',
      'reasoning',
      'thinking',
    ];
    expect(fieldsOf(['tools', 'reasoning'])).toEqual(expect.arrayContaining(named));
    expect(fieldsOf(null)).toEqual(expect.arrayContaining(named));
  });

  test('can be stated all the same by the model itself', () => {
    const own = { 'chat.completions': { tools: { type: 'array' as const } } };
    const [chat] = contractOf(['chat.completions'], own, NOTHING_KNOWN).operations;
    expect(chat?.parameters).toHaveProperty('tools');
  });
});
