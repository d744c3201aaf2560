import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelOperation, OPERATIONS, type Parameter } from './model-operation.ts';
import { OPERATION_CONTRACTS } from './operation-contracts.ts';

/** The contract and the providers' published documents lie beside the project; where they do not, the rows below must do. */
const shared = process.env.SWITCHYARD_SHARED ?? join(import.meta.dir, '../../../../shared');
const contractFile = join(shared, 'spec', 'gateway-api.md');
const contractMissing = !existsSync(contractFile);

interface Meaning {
  /** The row's numbers and values as the parameter has them. */
  readonly bounds?: Partial<Omit<Parameter, 'type' | 'required' | 'description'>>;
  /** What a parameter has no member for, and therefore says in its description. */
  readonly says?: readonly string[];
}

/** A row of a request table, its cells word for word. */
type Row = readonly [field: string, type: string, required: string, notes: string, meaning?: Meaning];

/** Contract, Endpoints: the requests that it shows. */
const TABLES: Readonly<Partial<Record<ModelOperation, readonly Row[]>>> = {
  'chat.completions': [
    ['model', 'string', 'yes', ''],
    [
      'messages',
      'array of `{role, content}`',
      'yes',
      '`role` in `system`, `user`, `assistant`; `content` is a string or an array of blocks',
      { says: ['system', 'user', 'assistant'] },
    ],
    ['temperature', 'number', 'no', 'default 1; range 0 to 2', { bounds: { default: 1, minimum: 0, maximum: 2 } }],
    ['max_tokens', 'integer', 'no', ''],
    ['max_completion_tokens', 'integer', 'no', 'alternative to `max_tokens`', { says: ['max_tokens'] }],
    ['stream', 'boolean', 'no', 'default false; true sends SSE deltas', { bounds: { default: false } }],
    [
      'stream_options',
      'object',
      'no',
      '`include_usage: true` adds token usage to stream chunks',
      { says: ['include_usage'] },
    ],
    ['top_p', 'number', 'no', 'default 1', { bounds: { default: 1 } }],
    ['top_k', 'integer', 'no', 'for some model families'],
    [
      'frequency_penalty',
      'number',
      'no',
      'default 0; -2.0 to 2.0',
      { bounds: { default: 0, minimum: -2, maximum: 2 } },
    ],
    ['presence_penalty', 'number', 'no', 'default 0; -2.0 to 2.0', { bounds: { default: 0, minimum: -2, maximum: 2 } }],
    ['stop', 'string or array', 'no', 'up to 4 sequences', { bounds: { maxItems: 4 } }],
    ['tools', 'array', 'no', 'function calling'],
    [
      'tool_choice',
      'string or object',
      'no',
      '`auto`, `none`, `required`, or a specific tool object',
      { says: ['auto', 'none', 'required'] },
    ],
    ['parallel_tool_calls', 'boolean', 'no', 'default true', { bounds: { default: true } }],
    ['reasoning_effort', 'string', 'no', '`low`, `medium`, `high`', { bounds: { enum: ['low', 'medium', 'high'] } }],
    ['seed', 'integer', 'no', 'deterministic sampling'],
    ['n', 'integer', 'no', 'default 1; 1 to 128', { bounds: { default: 1, minimum: 1, maximum: 128 } }],
    ['logprobs', 'boolean', 'no', ''],
    [
      'top_logprobs',
      'integer',
      'no',
      '0 to 20; requires `logprobs: true`',
      { bounds: { minimum: 0, maximum: 20 }, says: ['logprobs: true'] },
    ],
    [
      'response_format',
      'object',
      'no',
      '`{type: json_object}` for JSON mode; `{type: json_schema, json_schema: {...}}` is best-effort and depends on the model',
      { says: ['json_object', 'json_schema'] },
    ],
    ['logit_bias', 'object', 'no', 'token id (string) to bias -100..100', { says: ['-100', '100'] }],
    ['user', 'string', 'no', 'end-user identifier'],
    [
      'cache_control',
      'object',
      'no',
      '`type`: `default`, `no_cache`, `no_store`, `response_only`, `semantic_only`; `max_age` integer seconds, maximum 86400',
      { says: ['default', 'no_cache', 'no_store', 'response_only', 'semantic_only', 'max_age', '86400'] },
    ],
  ],
  responses: [
    ['model', 'string', 'yes', ''],
    [
      'input',
      'array',
      'yes',
      'Items: `message` (with `role` and `content`), `function_call`, `function_call_output`. `content` is a string or an array of blocks: `{type: input_text, text}` and `{type: input_image, image_url}` (URL or data URI)',
      { says: ['message', 'function_call', 'function_call_output', 'input_text', 'input_image'] },
    ],
    ['instructions', 'string', 'no', 'System instructions'],
    ['max_output_tokens', 'integer', 'no', ''],
    ['temperature', 'number', 'no', 'default 1; 0 to 2', { bounds: { default: 1, minimum: 0, maximum: 2 } }],
    ['top_p', 'number', 'no', '0 to 1', { bounds: { minimum: 0, maximum: 1 } }],
    [
      'tools',
      'array',
      'no',
      'See the image_generation rules below',
      { says: ['image_generation', 'background: transparent'] },
    ],
    ['stream', 'boolean', 'no', 'default false', { bounds: { default: false } }],
    ['previous_response_id', 'string', 'no', 'continue a prior response'],
    ['store', 'boolean', 'no', 'default true', { bounds: { default: true } }],
    ['metadata', 'object', 'no', ''],
    ['text', 'object', 'no', 'text configuration; `text.format` support depends on the model and route'],
    ['parallel_tool_calls', 'boolean', 'no', 'default true', { bounds: { default: true } }],
    ['reasoning', 'object', 'no', '`effort`: `low`, `medium`, `high`', { says: ['effort', 'low', 'medium', 'high'] }],
  ],
  embeddings: [
    ['model', 'string', 'yes', ''],
    ['input', 'string or array of strings', 'yes', ''],
    [
      'encoding_format',
      'string',
      'no',
      '`float` (default) or `base64`',
      { bounds: { default: 'float', enum: ['float', 'base64'] } },
    ],
    ['dimensions', 'integer', 'no', 'model-specific'],
    ['user', 'string', 'no', ''],
  ],
  rerank: [
    ['model', 'string', 'yes', ''],
    ['query', 'string', 'yes', 'at most 32,000 characters', { bounds: { maxLength: 32_000 } }],
    [
      'documents',
      'array of strings',
      'yes',
      'at most 1,000 documents; each at most 100,000 characters; at most 2,000,000 characters in total',
      { bounds: { maxItems: 1_000 }, says: ['1,000 texts', '100,000 characters', '2,000,000 characters'] },
    ],
    [
      'top_n',
      'integer',
      'no',
      'default all documents; at least 1 and at most the number of documents',
      { bounds: { minimum: 1 }, says: ['number of documents'] },
    ],
    ['return_documents', 'boolean', 'no', 'default false', { bounds: { default: false } }],
  ],
  'images.edits': [
    ['image', 'file', 'yes', 'valid PNG, under 4 MB, square', { says: ['PNG', '4 MB', 'square'] }],
    ['prompt', 'string', 'yes', ''],
    [
      'mask',
      'file',
      'no',
      'PNG, under 4 MB, same dimensions as `image`; fully transparent areas are edited',
      { says: ['PNG', '4 MB', 'transparent'] },
    ],
    ['model', 'string', 'no', 'default and only supported value is the single image-edit model id'],
    ['n', 'integer', 'no', 'default 1; 1 to 10', { bounds: { default: 1, minimum: 1, maximum: 10 } }],
    [
      'size',
      'string',
      'no',
      '`256x256`, `512x512`, `1024x1024`',
      { bounds: { enum: ['256x256', '512x512', '1024x1024'] } },
    ],
    [
      'response_format',
      'string',
      'no',
      '`url` (default) or `b64_json`',
      { bounds: { default: 'url', enum: ['url', 'b64_json'] } },
    ],
    ['user', 'string', 'no', ''],
  ],
  'audio.translations': [
    [
      'file',
      'file',
      'yes',
      'formats `flac`, `mp3`, `mp4`, `mpeg`, `mpga`, `m4a`, `ogg`, `wav`, `webm`; at most 25 MB',
      { says: ['flac', 'mp3', 'mp4', 'mpeg', 'mpga', 'm4a', 'ogg', 'wav', 'webm', '25 MB'] },
    ],
    ['model', 'string', 'no', 'default and only supported value is the single speech-translation model id'],
    ['prompt', 'string', 'no', 'English style guidance'],
    [
      'response_format',
      'string',
      'no',
      '`json` (default), `text`, `srt`, `verbose_json`, `vtt`',
      { bounds: { default: 'json', enum: ['json', 'text', 'srt', 'verbose_json', 'vtt'] } },
    ],
    ['temperature', 'number', 'no', '0 to 1', { bounds: { minimum: 0, maximum: 1 } }],
  ],
  'music.generations': [
    ['model', 'string', 'no', 'default is the music model id; the lyrics model id produces lyrics only'],
    ['prompt', 'string', 'yes', 'style, mood, instruments'],
    ['title', 'string', 'no', ''],
    ['tags', 'string', 'no', 'style tags'],
    [
      'action',
      'string',
      'no',
      '`MUSIC` (default) or `LYRICS`',
      { bounds: { default: 'MUSIC', enum: ['MUSIC', 'LYRICS'] } },
    ],
    ['mv', 'string', 'no', 'model version'],
    ['continue_clip_id', 'string', 'no', 'previous clip to continue'],
    ['continue_at', 'number', 'no', 'seconds'],
    ['user', 'string', 'no', ''],
  ],
};

/** `string or array of strings` is a string or an array. */
function typesIn(cell: string): string | string[] {
  const types = cell.split(' or ').map((type) => type.split(' ')[0] ?? '');
  return types.length === 1 ? (types[0] ?? '') : types;
}

/** The cells of the request table below the heading of `POST path`. */
function tableInContract(path: string): string[][] {
  const text = readFileSync(contractFile, 'utf8');
  const section = text.split(`\n#### POST ${path}\n`)[1]?.split('\n#')[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('| `'));
  return lines.map((line) => {
    const cells = line.slice(1, -1).split('|');
    return cells.map((cell, column) => (column === 0 ? cell.trim().replaceAll('`', '') : cell.trim()));
  });
}

for (const [operation, rows] of Object.entries(TABLES) as [ModelOperation, readonly Row[]][]) {
  const { endpoint, parameters } = OPERATION_CONTRACTS[operation];

  describe(`POST ${endpoint}`, () => {
    test.each(rows)('%s | %s | %s | %s', (field, type, required, _notes, { bounds = {}, says = [] } = {}) => {
      const { description, properties, ...parameter } = parameters[field]!;
      expect(parameter).toEqual({
        type: typesIn(type),
        ...(required === 'yes' && { required: true }),
        ...bounds,
      } as typeof parameter);
      const said = `${description} ${JSON.stringify(properties)}`;
      for (const words of says) expect(said).toContain(words);
    });

    test('takes nothing else', () => {
      expect(Object.keys(parameters)).toEqual(rows.map(([field]) => field));
    });

    test.skipIf(contractMissing)("these rows are the contract's", () => {
      expect(tableInContract(endpoint)).toEqual(rows.map((row) => row.slice(0, 4) as string[]));
    });
  });
}

describe('every operation', () => {
  // Moderations are OpenAI's, beside the contract.
  const promised = OPERATIONS.filter((operation) => operation !== 'moderations');
  test.skipIf(contractMissing).each(promised)('%s has an endpoint of the contract', (operation) => {
    const { method, endpoint } = OPERATION_CONTRACTS[operation];
    const text = readFileSync(contractFile, 'utf8');
    const places = [`#### ${method} ${endpoint}\n`, `| ${method} | \`${endpoint}\` |`];
    expect(places.filter((place) => text.includes(place))).toHaveLength(1);
  });

  const deliveries: [result: string, operations: ModelOperation[]][] = [
    ['task', ['videos.generations', 'music.generations', '3d.generations']],
    ['inline_or_task', ['images.generations']],
  ];
  test.each(deliveries)('%s is how exactly %j give a result', (result, operations) => {
    expect(OPERATIONS.filter((operation) => OPERATION_CONTRACTS[operation].result === result)).toEqual(operations);
  });

  test('exactly those with tasks are polled, and at one path', () => {
    for (const operation of OPERATIONS) {
      const { result, pollEndpoint } = OPERATION_CONTRACTS[operation];
      expect(pollEndpoint).toBe(result === 'inline' ? null : '/v1/tasks/{id}');
    }
  });

  test('exactly those that take a file are forms', () => {
    for (const operation of OPERATIONS) {
      const { contentType, parameters } = OPERATION_CONTRACTS[operation];
      const takesFile = Object.values(parameters).some(({ type }) => type === 'file');
      expect([operation, contentType]).toEqual([operation, takesFile ? 'multipart/form-data' : 'application/json']);
    }
  });

  const all = OPERATIONS.flatMap((operation) =>
    Object.entries(OPERATION_CONTRACTS[operation].parameters).map(([name, parameter]): [string, Parameter] => [
      `${operation}: ${name}`,
      parameter,
    ]),
  );

  test('a default is one of the values and within the bounds', () => {
    for (const [name, { default: value, enum: values, minimum, maximum }] of all) {
      if (typeof value === 'string' && values !== undefined)
        expect([name, values]).toEqual([name, expect.arrayContaining([value])]);
      if (typeof value !== 'number') continue;
      expect([name, value >= (minimum ?? value) && value <= (maximum ?? value)]).toEqual([name, true]);
    }
  });

  test('what is required has no default', () => {
    expect(all.filter(([, { required, default: value }]) => required === true && value !== undefined)).toEqual([]);
  });

  test('every field says in one sentence what it is', () => {
    expect(all.filter(([, { description }]) => !/^\S.*[^.]\.$/.test(description ?? '')).map(([name]) => name)).toEqual(
      [],
    );
  });
});

describe('the bounds of the 413 rule stand at', () => {
  const fields: [ModelOperation, string, string][] = [
    ['images.generations', 'image_url', '20 MB'],
    ['images.generations', 'image_urls', '20 MB'],
    ['videos.generations', 'image_url', '20 MB'],
    ['videos.generations', 'end_image_url', '20 MB'],
    ['videos.generations', 'reference_image_urls', '20 MB'],
    ['3d.generations', 'image_url', '20 MB'],
    ['3d.generations', 'image_urls', '20 MB'],
    ['audio.transcriptions', 'file', '25 MB'],
    ['audio.translations', 'file', '25 MB'],
  ];
  test.each(fields)('%s, %s: %s', (operation, field, bound) => {
    expect(OPERATION_CONTRACTS[operation].parameters[field]?.description).toContain(bound);
  });
});

describe('where the contract shows no request', () => {
  const required: [ModelOperation, string[]][] = [
    ['messages', ['model', 'messages', 'max_tokens']],
    ['generate_content', ['contents']],
    ['images.generations', ['model', 'prompt']],
    ['audio.speech', ['model', 'input']],
    ['audio.transcriptions', ['file', 'model']],
    ['videos.generations', ['model']],
    ['3d.generations', ['model']],
  ];
  test.each(required)('%s requires %j', (operation, fields) => {
    const parameters = Object.entries(OPERATION_CONTRACTS[operation].parameters);
    expect(parameters.filter(([, { required }]) => required).map(([name]) => name)).toEqual(fields);
  });

  test('image-to-image is an operation of images.generations, with image_url', () => {
    const { operation, image_url } = OPERATION_CONTRACTS['images.generations'].parameters;
    expect(operation?.enum).toContain('image-to-image');
    expect(image_url?.type).toBe('string');
  });

  const published: [ModelOperation, string, string, string[]][] = [
    ['images.generations', 'openai.openapi.json', 'CreateImageRequest', []],
    ['audio.speech', 'openai.openapi.json', 'CreateSpeechRequest', []],
    ['audio.transcriptions', 'openai.openapi.json', 'CreateTranscriptionRequest', []],
    ['messages', 'anthropic.openapi.json', 'CreateMessageParams', []],
    // It is in the path.
    ['generate_content', 'gemini-v1beta.openapi.json', 'GenerateContentRequest', ['model']],
  ];
  for (const [operation, file, schema, absent] of published) {
    const document = join(shared, 'specs', file);
    test.skipIf(!existsSync(document))(`${operation} takes what ${schema} of ${file} has`, () => {
      const { components } = JSON.parse(readFileSync(document, 'utf8'));
      const names = Object.keys(components.schemas[schema].properties).filter((name) => !absent.includes(name));
      const ours = Object.keys(OPERATION_CONTRACTS[operation].parameters);
      expect(names.filter((name) => !ours.includes(name))).toEqual([]);
    });
  }
});
