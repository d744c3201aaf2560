import { describe, expect, test } from 'bun:test';
import type { MediaPart, Message, Part } from '../../../domain/exchange/part.ts';
import { type ExchangeRequest, emptyRequest, type FunctionTool } from '../../../domain/exchange/request.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { textOf } from '../../shared/json/json-writer.ts';
import type { EncodeTarget } from '../format.ts';
import { bedrockConverse } from './index.ts';

const CLAUDE = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
const NEW_CLAUDE = 'global.anthropic.claude-opus-5-5';
const NOVA = 'us.amazon.nova-2-lite-v1:0';

function target(upstreamModel: string, more: Partial<EncodeTarget> = {}): EncodeTarget {
  return {
    upstreamModel,
    stream: false,
    provider: 'bedrock',
    channel: 'bedrock-1',
    quirks: [],
    carries: bedrockConverse.carries,
    ...more,
  };
}

function requestOf(more: Partial<ExchangeRequest>): ExchangeRequest {
  const messages: readonly Message[] = [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];
  return { ...emptyRequest('openai-chat', {}), messages, ...more };
}

function encode(request: Partial<ExchangeRequest>, model = CLAUDE, more: Partial<EncodeTarget> = {}) {
  const encoded = bedrockConverse.encodeRequest(requestOf(request), target(model, more));
  if (encoded instanceof Failure) throw new Error(encoded.message);
  const losses = encoded.losses.map(({ field, verdict }) => `${field}: ${verdict}`);
  return { body: JSON.parse(textOf(encoded.body)), losses };
}

function contentOf(parts: readonly Part[], role: Message['role'] = 'user', more: Partial<EncodeTarget> = {}) {
  const before: readonly Message[] = role === 'user' ? [] : [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];
  const { body, losses } = encode({ messages: [...before, { role, parts }] }, CLAUDE, more);
  return { content: body.messages[before.length]?.content, losses };
}

const NAMES = { 'top-p': 'top-p', stop: 'stop', 'max-output-tokens': 'max-output-tokens' };

const tool: FunctionTool = {
  type: 'function',
  name: 'add',
  description: 'Adds.',
  parameters: { type: 'object', properties: { a: { type: 'number' } } },
  strict: null,
  path: 'tools[0]',
};
const called: readonly Message[] = [
  { role: 'user', parts: [{ type: 'text', text: 'Add.' }] },
  { role: 'assistant', parts: [{ type: 'tool-call', id: 'call_1', name: 'add', arguments: '{"a":1}' }] },
  { role: 'tool', parts: [{ type: 'tool-result', id: 'call_1', content: [{ type: 'text', text: '2' }] }] },
];

describe('the conversation', () => {
  test('has a system prompt, settings and a turn', () => {
    const { body, losses } = encode({
      messages: [
        { role: 'system', parts: [{ type: 'text', text: 'Be brief.', cache: { ttl: '1h' } }] },
        { role: 'user', parts: [{ type: 'text', text: 'Hi', cache: { ttl: '5m' } }] },
      ],
      maxOutputTokens: 20,
      temperature: 0.2,
      topP: 1,
      topK: 5,
      stop: ['END'],
    });
    expect(body).toEqual({
      messages: [{ role: 'user', content: [{ text: 'Hi' }, { cachePoint: { type: 'default' } }] }],
      system: [{ text: 'Be brief.' }, { cachePoint: { type: 'default', ttl: '1h' } }],
      inferenceConfig: { maxTokens: 20, temperature: 0.2, stopSequences: ['END'] },
      additionalModelRequestFields: { top_k: 5 },
      additionalModelResponseFieldPaths: ['/stop_sequence'],
    });
    expect(losses).toEqual([]);
  });

  test("alternates turns: results and the user's next text are one message", () => {
    const next: Message = { role: 'user', parts: [{ type: 'text', text: 'And now?' }] };
    const { body } = encode({ messages: [...called, next], tools: [tool] });
    expect(body.messages).toEqual([
      { role: 'user', content: [{ text: 'Add.' }] },
      { role: 'assistant', content: [{ toolUse: { toolUseId: 'call_1', name: 'add', input: { a: 1 } } }] },
      {
        role: 'user',
        content: [{ toolResult: { toolUseId: 'call_1', content: [{ text: '2' }] } }, { text: 'And now?' }],
      },
    ]);
  });

  test.each<Part>([
    { type: 'tool-call', id: 'call_1', name: 'add', arguments: '{}', path: 'system[1]' },
    { type: 'tool-result', id: 'call_1', content: [], path: 'system[1]' },
    { type: 'reasoning', text: 'Hm', path: 'system[1]' },
    { type: 'image', source: { kind: 'base64', data: 'iVBORw0KGgo=' }, mediaType: 'image/png', path: 'system[1]' },
  ])('has text-only instructions, without $type', (part) => {
    const system: Message = { role: 'system', parts: [{ type: 'text', text: 'Be brief.' }, part] };
    const { body, losses } = encode({ messages: [system, ...called.slice(0, 1)] });
    expect(body.system).toEqual([{ text: 'Be brief.' }]);
    expect(losses).toEqual(['system[1]: refused']);
  });

  test('has a later system prompt as user text in its place, and reports it', () => {
    const messages: readonly Message[] = [
      { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
      { role: 'developer', parts: [{ type: 'text', text: 'Now in French.' }], path: 'messages[1]' },
    ];
    const { body, losses } = encode({ messages });
    expect(body.system).toBeUndefined();
    expect(body.messages).toEqual([{ role: 'user', content: [{ text: 'Hi' }, { text: 'Now in French.' }] }]);
    expect(losses).toEqual(['messages[1]: approximated']);
  });

  test('omits blank text, and empty text without a report', () => {
    const { content, losses } = contentOf([
      { type: 'text', text: '' },
      { type: 'text', text: ' \n', path: 'p' },
      { type: 'text', text: 'x' },
    ]);
    expect(content).toEqual([{ text: 'x' }]);
    expect(losses).toEqual(['p: dropped']);
  });

  test('has arguments that are not objects, and ids that the API refuses, replaced', () => {
    const id = 'call|with spaces';
    const { body, losses } = encode({
      messages: [
        { role: 'user', parts: [{ type: 'text', text: 'Add.' }] },
        { role: 'assistant', parts: [{ type: 'tool-call', id, name: 'add', arguments: '{"a":', path: 'c' }] },
        { role: 'tool', parts: [{ type: 'tool-result', id, content: [], isError: true }] },
      ],
      tools: [tool],
    });
    const { toolUse } = body.messages[1].content[0];
    const { toolResult } = body.messages[2].content[0];
    expect(toolUse.input).toEqual({ text: '{"a":' });
    expect(toolUse.toolUseId).toMatch(/^[a-zA-Z0-9_.:-]{1,64}$/);
    expect(toolResult).toEqual({
      ...{ toolUseId: toolUse.toolUseId, status: 'error' },
      content: [{ text: '(no content)' }],
    });
    expect(losses).toEqual(['c: approximated']);
  });

  test('has ids of the length that a quirk requires', () => {
    const quirks = [{ kind: 'tool-call-ids', pattern: /^[a-zA-Z0-9]{9}$/, length: 9, why: 'Mistral.' }] as const;
    const { content } = contentOf([{ type: 'tool-call', id: 'call_1', name: 'add', arguments: '' }], 'assistant', {
      quirks,
    });
    expect(content[0].toolUse.toolUseId).toMatch(/^[a-z0-9]{9}$/);
    expect(content[0].toolUse.input).toEqual({});
  });

  test('has structured results as JSON, with the media beside them', () => {
    const structured = { sum: 2 };
    const image: MediaPart = { type: 'image', source: { kind: 'base64', data: 'AAAA' }, mediaType: 'image/png' };
    const content = [{ type: 'text', text: '{"sum":2}' } as const, image];
    const { body } = encode({
      messages: [
        ...called.slice(0, 2),
        { role: 'tool', parts: [{ type: 'tool-result', id: 'call_1', content, structured }] },
      ],
    });
    expect(body.messages[2].content[0].toolResult.content).toEqual([
      { json: { sum: 2 } },
      { image: { format: 'png', source: { bytes: 'AAAA' } } },
    ]);
  });
});

describe('media', () => {
  const base64 = { kind: 'base64', data: 'AAAA' } as const;

  test.each([
    [
      { type: 'image', source: base64, mediaType: 'image/jpeg' },
      { image: { format: 'jpeg', source: { bytes: 'AAAA' } } },
    ],
    [
      { type: 'image', source: { kind: 'url', url: 's3://bucket/a.webp' }, mediaType: null },
      { image: { format: 'webp', source: { s3Location: { uri: 's3://bucket/a.webp' } } } },
    ],
    [
      { type: 'audio', source: base64, mediaType: 'audio/mpeg' },
      { audio: { format: 'mp3', source: { bytes: 'AAAA' } } },
    ],
    [
      { type: 'video', source: base64, mediaType: 'video/3gpp' },
      { video: { format: 'three_gp', source: { bytes: 'AAAA' } } },
    ],
    [
      {
        type: 'document',
        source: base64,
        mediaType: 'application/pdf',
        fileName: 'report.pdf',
        citationsEnabled: true,
      },
      { document: { format: 'pdf', name: 'report', source: { bytes: 'AAAA' }, citations: { enabled: true } } },
    ],
    [
      { type: 'document', source: { kind: 'text', text: 'Hi' }, mediaType: null, title: 'Notes', context: 'Old' },
      { document: { format: 'txt', name: 'Notes', source: { bytes: 'SGk=' }, context: 'Old' } },
    ],
  ] as const)('%j', (part, block) => {
    const text = { type: 'text', text: 'See.' } as const;
    expect(contentOf([part, text])).toEqual({ content: [block, { text: 'See.' }], losses: [] });
  });

  test('have their type from their bytes if none is stated', () => {
    const part: MediaPart = { type: 'image', source: { kind: 'base64', data: 'iVBORw0KGgoAAA' }, mediaType: null };
    expect(contentOf([part]).content[0].image.format).toBe('png');
  });

  test('have document names that are valid and unique', () => {
    const part: MediaPart = { type: 'document', source: base64, mediaType: 'application/pdf', path: 'd' };
    const { content, losses } = contentOf([{ ...part, title: 'Q1_Umsätze: 50%' }, part, part]);
    expect(content.slice(0, 3).map(({ document }: { document: { name: string } }) => document.name)).toEqual([
      'Q1 Umsatze 50',
      'document',
      'document 2',
    ]);
    // Bedrock refuses documents without a text beside them.
    expect(content.at(-1)).toEqual({ text: 'Q1 Umsatze 50, document, document 2' });
    expect(losses).toEqual(['d.title: approximated', 'd: approximated']);
  });

  test.each([
    [{ type: 'image', source: base64, mediaType: 'image/tiff', path: 'i' }],
    [{ type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' }, mediaType: null, path: 'i' }],
    [{ type: 'image', source: { kind: 'file', id: 'file-1', format: 'openai-responses' }, mediaType: null, path: 'i' }],
  ] as const)('are refused: %j', (part) => {
    expect(contentOf([part]).losses).toEqual(['i: refused']);
  });

  test('need no bytes only for s3 URLs', () => {
    const part: MediaPart = { type: 'image', source: { kind: 'url', url: 's3://b/k' }, mediaType: null };
    expect(bedrockConverse.needsBytes(part, [])).toBe(false);
    expect(bedrockConverse.needsBytes({ ...part, source: { kind: 'url', url: 'https://b/k' } }, [])).toBe(true);
  });
});

describe('reasoning of earlier turns', () => {
  const anthropic = { family: 'anthropic', data: 'c2ln', provider: 'anthropic', channel: 'other' } as const;

  test('from Claude is sent back with its signature, redacted or not, from any provider', () => {
    const { content, losses } = contentOf(
      [
        { type: 'reasoning', text: 'Hm.', state: anthropic },
        { type: 'reasoning', text: '', redacted: true, state: anthropic },
      ],
      'assistant',
    );
    expect(content).toEqual([
      { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'c2ln' } } },
      { reasoningContent: { redactedContent: 'c2ln' } },
    ]);
    expect(losses).toEqual([]);
  });

  test('from another family is dropped, and so is that of a sibling of another provider', () => {
    const other = { family: 'openai-chat', data: '', provider: 'deepseek', channel: 'd' } as const;
    const google = { family: 'google', data: 'x', provider: null, channel: null } as const;
    const { content, losses } = contentOf(
      [
        { type: 'reasoning', text: 'A', state: other, path: 'a' },
        { type: 'reasoning', text: 'B', state: google, path: 'b' },
        { type: 'reasoning', text: 'C', path: 'c' },
        { type: 'text', text: 'x' },
      ],
      'assistant',
    );
    expect(content).toEqual([{ text: 'x' }]);
    expect(losses).toEqual(['a: dropped', 'b: dropped', 'c: dropped']);
  });

  test('as plain text from Bedrock is sent back, unless the model accepts none', () => {
    const state = { family: 'openai-chat', data: '', provider: 'bedrock', channel: 'x' } as const;
    const part: Part = { type: 'reasoning', text: 'Hm.', state, path: 'r' };
    expect(contentOf([part], 'assistant').content).toEqual([{ reasoningContent: { reasoningText: { text: 'Hm.' } } }]);
    const quirks = [{ kind: 'reasoning-input', field: 'none', why: 'It refuses.' }] as const;
    expect(contentOf([part], 'assistant', { quirks }).losses).toEqual(['r: dropped']);
  });

  test('from a GPT model is sent back encrypted as issued', () => {
    const quirks = [{ kind: 'reasoning-input', field: 'reasoning_details', why: 'GPT.' }] as const;
    const answer = { output: { message: { content: [{ reasoningContent: { redactedContent: 'cnNuXw==' } }] } } };
    const bytes = new TextEncoder().encode(JSON.stringify(answer));
    const decoded = bedrockConverse.decodeAnswer(bytes, { provider: 'bedrock', channel: 'c', quirks });
    if (decoded instanceof Failure) throw new Error(decoded.message);
    const parts = decoded.candidates[0]!.parts;
    expect(contentOf(parts, 'assistant', { quirks }).content).toEqual([
      { reasoningContent: { redactedContent: 'cnNuXw==' } },
    ]);
    expect(contentOf(parts, 'assistant', { provider: 'elsewhere' }).content).toBeUndefined();
  });
});

describe('tools', () => {
  test('have a cache point and strictness', () => {
    const { body } = encode({
      tools: [{ ...tool, strict: true, cache: { ttl: '5m' } }],
      toolChoice: { mode: 'required' },
    });
    const closed = { ...tool.parameters, additionalProperties: false };
    expect(body.toolConfig).toEqual({
      tools: [
        { toolSpec: { name: 'add', description: 'Adds.', inputSchema: { json: closed }, strict: true } },
        { cachePoint: { type: 'default' } },
      ],
      toolChoice: { any: {} },
    });
  });

  test.each([
    [{ mode: 'auto' }, { auto: {} }],
    [{ mode: 'tool', name: 'add' }, { tool: { name: 'add' } }],
    [{ mode: 'allowed', names: ['add'], required: true }, { any: {} }],
  ] as const)('are chosen for %j', (toolChoice, expected) => {
    expect(encode({ tools: [tool], toolChoice }).body.toolConfig.toolChoice).toEqual(expected);
  });

  test('are disabled for Claude by its own choice, and omitted for others', () => {
    const request = { tools: [tool], toolChoice: { mode: 'none' } } as const;
    const { body } = encode(request);
    expect(body.additionalModelRequestFields).toEqual({ tool_choice: { type: 'none' } });
    expect(body.toolConfig.toolChoice).toBeUndefined();
    const other = encode(request, NOVA);
    expect(other.body.toolConfig).toBeUndefined();
    expect(other.losses).toEqual(['tools[0]: approximated', 'tool_choice: approximated']);
    const afterCalls = encode({ ...request, messages: called }, NOVA);
    expect(afterCalls.body.toolConfig.tools).toHaveLength(1);
    expect(afterCalls.losses).toEqual(['tool_choice: approximated']);
  });

  test('are declared for calls of the conversation if there are none', () => {
    const { body } = encode({ messages: called });
    expect(body.toolConfig).toEqual({
      tools: [{ toolSpec: { name: 'add', inputSchema: { json: { type: 'object' } } } }],
    });
    expect(body.additionalModelRequestFields).toEqual({ tool_choice: { type: 'none' } });
  });

  test('without parallel calls are supported by Claude only, in its tool choice', () => {
    const request = { tools: [tool], toolChoice: { mode: 'tool', name: 'add' }, parallelToolCalls: false } as const;
    const { body } = encode(request);
    const tool_choice = { type: 'tool', name: 'add', disable_parallel_tool_use: true };
    expect(body.additionalModelRequestFields).toEqual({ tool_choice });
    expect(body.toolConfig.toolChoice).toBeUndefined();
    expect(encode(request, NOVA).losses).toEqual(['parallel_tool_calls: dropped']);
  });

  test('that Bedrock does not run are refused', () => {
    const raw = { format: 'openai-responses', value: {} };
    const { losses } = encode({ tools: [{ type: 'hosted', name: 'mcp', raw, path: 'tools[1]' }] });
    expect(losses).toEqual(['tools[1]: refused']);
  });
});

const SAID_NOTHING = { enabled: null, effort: null, budgetTokens: null, adaptive: false, summary: null } as const;

describe('thinking', () => {
  test.each([
    [CLAUDE, { budgetTokens: 2_000 }, { thinking: { type: 'enabled', budget_tokens: 2_000 } }, []],
    [CLAUDE, { effort: 'low' }, { thinking: { type: 'enabled', budget_tokens: 1_024 } }, ['effort: approximated']],
    [CLAUDE, { effort: 'none' }, { thinking: { type: 'disabled' } }, []],
    [NEW_CLAUDE, { effort: 'xhigh' }, { thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } }, []],
    [NEW_CLAUDE, { adaptive: true, summary: 'auto' }, { thinking: { type: 'adaptive', display: 'summarized' } }, []],
    [NEW_CLAUDE, { adaptive: true, summary: 'none' }, { thinking: { type: 'adaptive', display: 'omitted' } }, []],
    [
      NEW_CLAUDE,
      { adaptive: true, summary: 'detailed' },
      { thinking: { type: 'adaptive', display: 'summarized' } },
      ['reasoning.summary: approximated'],
    ],
    [
      NEW_CLAUDE,
      { budgetTokens: 8_192 },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } },
      ['budget: approximated'],
    ],
    [NOVA, { effort: 'medium' }, { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' } }, []],
    ['openai.gpt-oss-120b-1:0', { effort: 'high' }, { reasoning_effort: 'high' }, []],
    ['us.openai.gpt-5.6-sol', { effort: 'none' }, { reasoning: { effort: 'none' } }, []],
    ['us.openai.gpt-5.6-sol', { effort: 'minimal' }, { reasoning: { effort: 'low' } }, ['effort: approximated']],
    ['meta.llama3-8b-instruct-v1:0', { effort: 'low' }, undefined, ['effort: dropped']],
  ] as const)('%s %j', (model, options, fields, losses) => {
    const names = { 'reasoning-effort': 'effort', 'reasoning-budget': 'budget' };
    const encoded = encode({ names, reasoning: { ...SAID_NOTHING, ...options } }, model);
    expect(encoded.body.additionalModelRequestFields).toEqual(fields);
    expect(encoded.losses).toEqual([...losses]);
  });

  test('has a budget below the limit, and sampling is unchanged', () => {
    const reasoning = { ...SAID_NOTHING, budgetTokens: 5_000 };
    const { body, losses } = encode({ reasoning, maxOutputTokens: 2_000, temperature: 0.5, topK: 3, topP: 0.99 });
    expect(body.additionalModelRequestFields.thinking.budget_tokens).toBe(1_999);
    expect(body.inferenceConfig).toEqual({ maxTokens: 2_000, topP: 0.99 });
    expect(losses).toEqual(['reasoning: approximated', 'temperature: dropped', 'top_k: dropped']);
    expect(encode({ reasoning, maxOutputTokens: 500 }).body.additionalModelRequestFields).toBeUndefined();
  });

  test('is dropped for a forced tool', () => {
    const reasoning = { ...SAID_NOTHING, budgetTokens: 5_000 };
    const { body, losses } = encode({ reasoning, tools: [tool], toolChoice: { mode: 'required' } });
    expect(body.additionalModelRequestFields).toBeUndefined();
    expect(losses).toEqual(['reasoning: dropped']);
  });

  test('with high effort on Nova has no other limits', () => {
    const { body, losses } = encode({ reasoning: { ...SAID_NOTHING, effort: 'high' }, maxOutputTokens: 9 }, NOVA);
    expect(body.inferenceConfig).toBeUndefined();
    expect(losses).toEqual(['max_tokens: dropped']);
  });
});

describe('output and settings', () => {
  test('have a JSON schema, metadata and the tier', () => {
    const schema = { type: 'object', properties: {}, additionalProperties: false };
    const { body, losses } = encode({
      responseFormat: { type: 'json-schema', schema, name: 'n', description: null, strict: true },
      metadata: { team: 'a-1', note: 'é' },
      serviceTier: 'flex',
    });
    expect(body.outputConfig.textFormat).toEqual({
      type: 'json_schema',
      structure: { jsonSchema: { schema: JSON.stringify(schema), name: 'n' } },
    });
    expect(body.requestMetadata).toEqual({ team: 'a-1' });
    expect(body.serviceTier).toEqual({ type: 'flex' });
    expect(losses).toEqual(['metadata.note: dropped']);
  });

  test('have the schema in the prompt for a model without a field for it', () => {
    const carries = {
      ...bedrockConverse.carries,
      'json-schema': { verdict: 'approximated', why: 'No field.' },
    } as const;
    const responseFormat = {
      type: 'json-schema',
      schema: { a: 1 },
      name: null,
      description: 'D.',
      strict: null,
    } as const;
    const { body, losses } = encode({ responseFormat }, NOVA, { carries });
    expect(body.outputConfig).toBeUndefined();
    expect(body.system[0].text).toEndWith('schema:\nD.\n{"a":1}');
    expect(losses).toEqual(['json-schema: approximated']);
  });

  test('have top_k where each vendor expects it', () => {
    expect(encode({ topK: 3 }, NOVA).body.additionalModelRequestFields).toEqual({ inferenceConfig: { topK: 3 } });
    expect(encode({ topK: 3 }, 'cohere.command-r-v1:0').body.additionalModelRequestFields).toEqual({ k: 3 });
    expect(encode({ topK: 3 }, 'meta.llama3-8b-instruct-v1:0').losses).toEqual(['top_k: dropped']);
  });

  test.each([
    [CLAUDE, { temperature: 0.2, topP: 0.9 }, { temperature: 0.2 }, ['top-p: dropped']],
    [CLAUDE, { maxOutputTokens: 70_000 }, { maxTokens: 64_000 }, ['max-output-tokens: approximated']],
    [
      'us.amazon.nova-pro-v1:0',
      { maxOutputTokens: 70_000 },
      { maxTokens: 10_000 },
      ['max-output-tokens: approximated'],
    ],
    ['qwen.qwen3-32b-v1:0', { maxOutputTokens: 70_000, topP: 0.9 }, { maxTokens: 70_000, topP: 0.9 }, []],
    [CLAUDE, { stop: ['\n', 'END'] }, { stopSequences: ['END'] }, ['stop: dropped']],
    ['mistral.mistral-large-3-675b-instruct', { stop: ['\n'] }, { stopSequences: ['\n'] }, []],
  ])('for %s from %j are only %j', (model, asked, sent, lost) => {
    const { body, losses } = encode({ ...asked, names: NAMES }, model);
    expect(body.inferenceConfig).toEqual(sent);
    expect(losses).toEqual(lost);
  });

  test('have the lowest effort for a model that always reasons', () => {
    const { body, losses } = encode(
      { reasoning: { ...SAID_NOTHING, effort: 'none' } },
      'global.anthropic.claude-opus-5-5',
    );
    expect(body.additionalModelRequestFields).toEqual({ output_config: { effort: 'low' } });
    expect(losses).toEqual(['reasoning: approximated']);
  });

  test('report what they drop and refuse', () => {
    const { losses } = encode({
      seed: 1,
      candidateCount: 2,
      temperature: 1.5,
      responseFormat: { type: 'json' },
      user: 'u',
    });
    expect(losses).toEqual([
      'seed: dropped',
      'candidate-count: refused',
      'json-mode: approximated',
      'user: dropped',
      'temperature: approximated',
    ]);
  });

  test('are included in a token count of the same request', () => {
    const encoded = bedrockConverse.counting!.encodeRequest(
      requestOf({ tools: [tool], maxOutputTokens: 3 }),
      target(CLAUDE),
    );
    if (encoded instanceof Failure) throw new Error(encoded.message);
    const { input } = JSON.parse(textOf(encoded.body));
    expect(Object.keys(input.converse)).toEqual(['messages', 'toolConfig']);
    expect(bedrockConverse.counting!.decodeAnswer(new TextEncoder().encode('{"inputTokens":7}'))).toBe(7);
    expect(bedrockConverse.counting!.decodeAnswer(new TextEncoder().encode('{}'))).toBeNull();
  });
});
