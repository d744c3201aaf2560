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
  test('the summary points to the operation of the requested scene', () => {
    const operations = ['audio.transcriptions', 'audio.translations'] as const;
    const endpointFor = (scene: 'translation' | 'stt' | 'image' | null) =>
      publicContractSummaryOf(operations, scene).request_endpoint;
    expect(endpointFor('translation')).toBe('/v1/audio/translations');
    expect([endpointFor('stt'), endpointFor('image'), endpointFor(null)]).toEqual(
      Array(3).fill('/v1/audio/transcriptions'),
    );
  });

  test('an operation is shown in wire form', () => {
    const { operations } = contractOf(['rerank'], {});
    const parameters = expect.objectContaining({
      model: { type: 'string', required: true, description: 'A model id from GET /v1/models.' },
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

  test('length bounds use the names of the wire', () => {
    const { query, documents } = contractOf(['rerank'], {}).operations[0]!.parameters;
    expect(query).toMatchObject({ max_length: 32_000 });
    expect(documents).toMatchObject({ max_items: 1_000 });
  });

  test('allowed values are listed', () => {
    const { encoding_format } = contractOf(['embeddings'], {}).operations[0]!.parameters;
    expect(encoding_format).toMatchObject({ default: 'float', enum: ['float', 'base64'] });
  });

  test('a task operation shows where to poll', () => {
    expect(contractOf(['videos.generations'], {}).operations[0]).toMatchObject({
      result: 'task',
      poll_endpoint: '/v1/tasks/{id}',
    });
  });

  test('every operation of a model is listed in order, with the endpoint of the first', () => {
    const contract = contractOf(CHAT_OPERATIONS, {});
    expect(contract.operations.map(({ operation }) => operation)).toEqual([...CHAT_OPERATIONS]);
    expect(contract.request_endpoint).toBe('/v1/chat/completions');
  });

  test('no member has a name outside the wire format', () => {
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
  test('replace only the members that they state', () => {
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

  test('remove a field that is null', () => {
    expect(parametersOfImages({ style: null })).not.toHaveProperty('style');
  });

  test('ignore null for a field that no model takes', () => {
    expect(parametersOfImages({ nothing: null })).toEqual(parametersOfImages({}));
  });

  test('come after the general ones if they are new', () => {
    const parameters = parametersOfImages({ cfg_scale: { type: 'number', minimum: 0, maxItems: 2 } });
    expect(Object.keys(parameters).at(-1)).toBe('cfg_scale');
    expect(parameters.cfg_scale).toEqual({ type: 'number', required: false, minimum: 0, max_items: 2 });
  });

  test('may have any type if none is stated', () => {
    expect(parametersOfImages({ extra: {} }).extra).toEqual({
      type: ['string', 'number', 'boolean', 'array', 'object'],
      required: false,
    });
  });

  test('apply only to the operation that they are stated for', () => {
    const { operations } = contractOf(['images.generations', 'images.edits'], {
      'images.generations': { n: null },
    });
    expect(operations.map(({ parameters }) => 'n' in parameters)).toEqual([false, true]);
  });

  test('are not shown for an operation that the model does not serve', () => {
    expect(contractOf(['rerank'], { embeddings: { dimensions: { maximum: 8 } } })).toEqual(contractOf(['rerank'], {}));
  });

  test('leave the general contract unchanged', () => {
    const before = structuredClone(OPERATION_CONTRACTS);
    parametersOfImages({ n: { maximum: 1 }, style: null, extra: { type: 'string' } });
    expect(OPERATION_CONTRACTS).toEqual(before);
  });

  const withoutDefault: [string, Partial<Parameter>][] = [
    ['a minimum above it', { minimum: 2 }],
    ['a maximum below it', { maximum: 0 }],
    ['an enum without it', { enum: [2, 4] }],
    ['being required', { required: true }],
  ];
  test.each(withoutDefault)('drop the general default given %s', (_name, override) => {
    expect(parametersOfImages({ n: override }).n).not.toHaveProperty('default');
  });

  test('drop a string default that is missing from the enum', () => {
    const [speech] = contractOf(['audio.speech'], {
      'audio.speech': { response_format: { enum: ['wav', 'pcm'] } },
    }).operations;
    expect(speech!.parameters.response_format).not.toHaveProperty('default');
  });

  test('keep their own default', () => {
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

describe('a capability', () => {
  const fieldsOf = (features: readonly ModelFeature[] | null) =>
    contractOf(
      ['chat.completions', 'messages', 'responses', 'generate_content'],
      {},
      features && { ...NOTHING_KNOWN, features },
    ).operations.flatMap(({ parameters }) => Object.keys(parameters));

  test('adds no parameter, in any format, if the model lacks it', () => {
    expect(fieldsOf([]).filter((name) => /tool|reasoning|thinking/i.test(name))).toEqual([]);
    expect(fieldsOf(['tools']).filter((name) => /reasoning|thinking/i.test(name))).toEqual([]);
    expect(fieldsOf(['reasoning'])).not.toContain('tools');
  });

  test('adds its parameters if the model has it or it is unknown', () => {
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

  test("is overridden by the model's own parameters", () => {
    const own = { 'chat.completions': { tools: { type: 'array' as const } } };
    const [chat] = contractOf(['chat.completions'], own, NOTHING_KNOWN).operations;
    expect(chat?.parameters).toHaveProperty('tools');
  });
});
