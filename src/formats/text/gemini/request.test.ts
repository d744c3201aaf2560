import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Failure } from '../../../domain/failure/failure.ts';
import { textOf } from '../../shared/json/json-writer.ts';
import { wrapState } from '../shared/state-token.ts';
import { fields } from './fields.ts';
import { gemini } from './index.ts';
import { decoded, encoded, generate, target, utf8 } from './testing/support.ts';

const hi = [{ role: 'user', parts: [{ text: 'Hi' }] }];

describe('validation', () => {
  const refusal = (body: unknown, purpose: 'generate' | 'count-tokens' = 'generate') => {
    const result = gemini.parseRequest(utf8(JSON.stringify(body)), { ...generate, purpose });
    return result instanceof Failure ? result.message : null;
  };

  test.each([
    [{}, 'contents is required and must be a non-empty array of contents'],
    [{ contents: [] }, 'contents must be a non-empty array of contents; got an array of 0 items'],
    [
      { contents: [{ role: 'assistant', parts: [] }] },
      'contents[0].role must be one of "user", "model", "function", "tool"; got "assistant"',
    ],
    [{ contents: [{ parts: [{ text: 1 }] }] }, 'contents[0].parts[0].text must be a string; got 1'],
    [
      { contents: hi, generationConfig: { temperature: 3 } },
      'generationConfig.temperature must be a number from 0 to 2; got 3',
    ],
    [{ contents: hi, generation_config: { top_p: 2 } }, 'generation_config.top_p must be a number from 0 to 1; got 2'],
    [
      { contents: hi, tools: [{ functionDeclarations: [{}] }] },
      'tools[0].functionDeclarations[0].name is required and must be a non-empty string',
    ],
  ])('reports %j', (body, message) => {
    expect(refusal(body)).toBe(message);
  });

  test.each([
    { contents: hi, generationConfig: null, tools: null, toolConfig: null, safetySettings: null },
    { contents: { parts: [{ text: 'Hi' }] } },
    { contents: hi, system_instruction: 'Be brief', tools: [{ google_search: {} }] },
    {
      contents: hi,
      safetySettings: [{ category: 10, threshold: 3 }],
      toolConfig: { functionCallingConfig: { mode: 2 } },
    },
    { contents: hi, generationConfig: { seed: '42', thinkingConfig: { thinkingLevel: 'low', thinkingBudget: -1 } } },
    { contents: hi, futureField: { deep: [1] } },
  ])('accepts %j', (body) => {
    expect(refusal(body)).toBeNull();
  });

  test('accepts contents for a count, or a whole request around them', () => {
    expect(refusal({ contents: hi }, 'count-tokens')).toBeNull();
    expect(refusal({ generateContentRequest: { model: 'models/m', contents: hi } }, 'count-tokens')).toBeNull();
    expect(refusal({}, 'count-tokens')).toBe('contents is required unless generateContentRequest is given');
  });
});

describe('decoding', () => {
  test('reads roles, calls and their results', () => {
    const { messages } = decoded({
      systemInstruction: { parts: [{ text: 'Be brief' }] },
      contents: [
        { parts: [{ text: 'Add' }, { inlineData: { mimeType: 'image/png', data: 'a-_b' } }] },
        {
          role: 'model',
          parts: [
            { functionCall: { name: 'add', args: { x: 1 } }, thoughtSignature: 'c2ln' },
            { functionCall: { name: 'add', args: { x: 2 } } },
            { functionCall: { name: 'now', id: 'n1' } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { name: 'now', id: 'n1', response: { output: 'noon' } } },
            { functionResponse: { name: 'add', response: { result: 3 } } },
            { functionResponse: { name: 'add', response: { error: 'overflow' } } },
            { text: 'Go on' },
          ],
        },
      ],
    });
    expect(messages.map(({ role, path }) => `${role} ${path}`)).toEqual([
      'system systemInstruction',
      'user contents[0]',
      'assistant contents[1]',
      'tool contents[2]',
      'user contents[2]',
    ]);
    expect(messages[1]?.parts[1]).toEqual({
      type: 'image',
      source: { kind: 'base64', data: 'a+/b' },
      mediaType: 'image/png',
      path: 'contents[0].parts[1]',
    });
    const [first, second] = messages[2]?.parts ?? [];
    expect(first).toMatchObject({
      name: 'add',
      arguments: '{"x":1}',
      state: { family: 'google', data: 'c2ln', provider: null, channel: null },
    });
    const ids = [first, second].map((part) => (part?.type === 'tool-call' ? part.id : ''));
    expect(new Set(ids).size).toBe(2);
    expect(messages[3]?.parts).toMatchObject([
      { id: 'n1', name: 'now', content: [{ text: 'noon' }] },
      { id: ids[0], content: [{ text: '{"result":3}' }] },
      { id: ids[1], isError: true, content: [{ text: 'overflow' }] },
    ]);
  });

  test('reads snake_case alike, and losses use the client’s field names', () => {
    const request = decoded({
      system_instruction: { parts: [{ text: 'S' }] },
      contents: [
        { parts: [{ inline_data: { mime_type: 'image/png', data: 'aa' } }, { file_data: { file_uri: 'gs://b/x' } }] },
      ],
      tools: [{ function_declarations: [{ name: 'f', parameters_json_schema: { type: 'object' } }] }],
      tool_config: { function_calling_config: { mode: 'any', allowed_function_names: ['f'] } },
      generation_config: {
        top_k: 4,
        max_output_tokens: '9',
        thinking_config: { thinking_budget: 5 },
        speech_config: {},
      },
    });
    expect(request).toMatchObject({
      topK: 4,
      maxOutputTokens: 9,
      toolChoice: { mode: 'tool', name: 'f' },
      reasoning: { budgetTokens: 5 },
    });
    expect(request.names['top-k']).toBe('generation_config.top_k');
    expect(request.rest).toMatchObject([{ path: 'generation_config.speech_config', verdict: 'refused' }]);
    expect(request.messages[1]?.parts[1]).toMatchObject({ source: { kind: 'file', id: 'gs://b/x', format: 'gemini' } });
  });

  test('names the field for the amount of reasoning in losses, in either spelling', () => {
    const namesOf = (thinkingConfig: object) =>
      decoded({ contents: [{ parts: [{ text: 'Hi' }] }], generationConfig: { thinkingConfig } }).names;
    const path = 'generationConfig.thinkingConfig';
    expect(namesOf({ thinkingBudget: 0 })).toMatchObject({ 'reasoning-effort': `${path}.thinkingBudget` });
    expect(namesOf({ thinking_level: 'LOW' })).toMatchObject({
      'reasoning-effort': `${path}.thinking_level`,
      'reasoning-budget': `${path}.thinking_level`,
    });
    expect(namesOf({ includeThoughts: true })).toMatchObject({ 'reasoning-effort': path });
  });

  test('keeps an image name for Gemini only', () => {
    const data = { data: 'AAAA', mimeType: 'image/png', displayName: 'a picture' };
    const request = decoded({ contents: [{ role: 'user', parts: [{ inlineData: data }] }] });
    expect(request.rest).toMatchObject([{ path: 'contents[0].parts[0].inlineData.displayName', verdict: 'dropped' }]);
    expect(encoded(request).body.contents[0].parts[0].inlineData).toEqual(data);
  });

  test('converts a Google schema to JSON Schema', () => {
    const { tools, responseFormat } = decoded({
      contents: hi,
      tools: [
        {
          functionDeclarations: [
            {
              name: 'f',
              parameters: {
                type: 'OBJECT',
                properties: {
                  type: { type: 'STRING', format: 'enum', enum: ['A'], nullable: true },
                  list: { type: 'ARRAY', items: { type: 'INTEGER', format: 'int32' }, minItems: '1' },
                },
                required: ['list'],
                propertyOrdering: ['list', 'type'],
              },
            },
          ],
        },
      ],
      generationConfig: {
        responseMimeType: 'application/json',
        responseSchema: { type: 6, properties: { a: { type: 1 } } },
      },
    });
    expect(tools[0]).toMatchObject({
      parameters: {
        type: 'object',
        properties: {
          type: { type: ['string', 'null'], enum: ['A', null] },
          list: { type: 'array', items: { type: 'integer', format: 'int32' }, minItems: 1 },
        },
        required: ['list'],
        propertyOrdering: ['list', 'type'],
      },
    });
    expect(responseFormat).toMatchObject({ schema: { type: 'object', properties: { a: { type: 'string' } } } });
  });

  test("reads a schema's type number in any notation", () => {
    const parameters = '{"type":6.0,"properties":{"a":{"type":1e0},"b":{"type":[3.0,7]}}}';
    const tools = `[{"functionDeclarations":[{"name":"f","parameters":${parameters}}]}]`;
    const parsed = gemini.parseRequest(utf8(`{"contents":${JSON.stringify(hi)},"tools":${tools}}`), generate);
    const request = parsed instanceof Failure ? parsed : gemini.decodeRequest(parsed);
    if (request instanceof Failure) throw new Error(request.message);
    expect(request.tools[0]).toMatchObject({
      parameters: { type: 'object', properties: { a: { type: 'string' }, b: { type: ['integer', 'null'] } } },
    });
  });

  test.each([
    [{ mode: 'AUTO' }, { mode: 'auto' }],
    [{ mode: 'NONE' }, { mode: 'none' }],
    [{ mode: 'ANY' }, { mode: 'required' }],
    [
      { mode: 'ANY', allowedFunctionNames: ['a'] },
      { mode: 'tool', name: 'a' },
    ],
    [
      { mode: 'ANY', allowedFunctionNames: ['a', 'b'] },
      { mode: 'allowed', names: ['a', 'b'], required: true },
    ],
    [
      { mode: 'VALIDATED', allowedFunctionNames: ['a'] },
      { mode: 'allowed', names: ['a'], required: false },
    ],
    [{ mode: 'VALIDATED' }, { mode: 'auto' }],
    [{}, null],
  ])('maps the tool choice %j', (functionCallingConfig, choice) => {
    expect(decoded({ contents: hi, toolConfig: { functionCallingConfig } }).toolChoice).toEqual(choice as never);
  });

  test.each([
    [{ thinkingBudget: 0 }, { enabled: false, budgetTokens: 0 }],
    [{ thinkingBudget: -1 }, { adaptive: true, budgetTokens: null }],
    [
      { thinkingLevel: 'HIGH', includeThoughts: true },
      { effort: 'high', summary: 'auto' },
    ],
    [{ includeThoughts: false }, { effort: null, summary: 'none' }],
  ])('maps reasoning %j', (thinkingConfig, reasoning) => {
    expect(decoded({ contents: hi, generationConfig: { thinkingConfig } }).reasoning).toMatchObject(reasoning);
  });

  test('keeps the wire value of Google’s own tools', () => {
    const { tools } = decoded({ contents: hi, tools: [{ googleSearch: { timeRangeFilter: {} }, urlContext: {} }] });
    expect(tools).toMatchObject([
      { type: 'web-search', raw: { format: 'gemini', value: { googleSearch: {} } } },
      { type: 'hosted', name: 'urlContext', path: 'tools[0].urlContext' },
    ]);
  });

  test('joins another family’s reasoning in pieces, with its state', () => {
    const token = wrapState({ family: 'anthropic', data: 'sig', provider: 'anthropic', channel: 'a' });
    const { messages } = decoded({
      contents: [
        ...hi,
        { role: 'model', parts: [{ text: 'Let ', thought: true }] },
        { role: 'model', parts: [{ text: 'me', thought: true }] },
        { role: 'model', parts: [{ text: '', thought: true, thoughtSignature: token }] },
        { role: 'model', parts: [{ text: '', thought: true, thoughtSignature: token }, { text: 'Done' }] },
      ],
    });
    expect(messages[1]?.parts.some((part) => 'redacted' in part)).toBe(false);
    expect(messages[1]?.parts).toMatchObject([
      { type: 'reasoning', text: 'Let me', state: { family: 'anthropic', data: 'sig' } },
      { type: 'reasoning', text: '', state: { data: 'sig' } },
      { type: 'text', text: 'Done' },
    ]);
  });
});

describe('a round trip', () => {
  const body = {
    systemInstruction: { parts: [{ text: 'S' }], role: 'model' },
    contents: [
      {
        role: 'user',
        parts: [
          { text: 'Look', newMember: { a: [1] } },
          { fileData: { mimeType: 'video/mp4', fileUri: 'https://youtu.be/x', later: 1 }, videoMetadata: { fps: 2 } },
          { inlineData: { mimeType: 'audio/wav', data: 'aaaa' }, mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' } },
        ],
        another: true,
      },
      {
        role: 'model',
        parts: [
          { text: 'Hm', thought: true },
          { text: 'I call', thoughtSignature: 'AAAA' },
          { functionCall: { name: 'f', args: { a: 1 }, id: 'c1' }, thoughtSignature: 'BBBB' },
          { executableCode: { language: 'PYTHON', code: '1' } },
          { futurePart: {} },
        ],
      },
      {
        role: 'user',
        parts: [
          {
            functionResponse: {
              name: 'f',
              id: 'c1',
              response: { result: [1, { b: null }] },
              parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBO' } }],
              scheduling: 'SILENT',
            },
          },
          { text: 'Go' },
        ],
      },
    ],
    tools: [
      {
        functionDeclarations: [{ name: 'f', behavior: 'BLOCKING', parameters: { type: 'OBJECT', nullable: true } }],
        googleSearch: {},
      },
      { functionDeclarations: [{ name: 'g', description: 'G', parametersJsonSchema: { type: 'object' } }] },
    ],
    toolConfig: {
      functionCallingConfig: { mode: 'VALIDATED', future: 1 },
      retrievalConfig: { languageCode: 'de' },
    },
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }],
    generationConfig: {
      temperature: 0.5,
      candidateCount: 1,
      stopSequences: ['a'],
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT', properties: {}, propertyOrdering: [] },
      responseModalities: ['TEXT', 'AUDIO'],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
      thinkingConfig: { thinkingBudget: -1, includeThoughts: false, future: 'x' },
      logprobs: 3,
      responseLogprobs: true,
      unheardOf: 1,
    },
    cachedContent: 'cachedContents/x',
    tomorrow: { a: 1 },
  };

  test('keeps a request of this format, including future members', () => {
    const { body: again, losses } = encoded(decoded(body), target('gemini-3-flash'));
    expect(losses).toEqual([]);
    // Fields of an unknown member of thinkingConfig are restored next to it.
    expect(again).toEqual(body);
  });

  test('classifies every leaf for the other formats', () => {
    for (const { path } of decoded(body).rest) {
      const known = path.replace(/\[\d+\]/g, '[]');
      const isNew = /newMember|later|another|future|unheardOf|tomorrow/.test(path);
      expect([path, isNew || fields[known] !== undefined]).toEqual([path, true]);
    }
  });

  test('keeps settings in any combination', () => {
    const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
    const config = fc.record(
      {
        temperature: fc.constantFrom(0, 0.5, 2),
        topP: fc.constantFrom(0, 1),
        topK: fc.nat(100),
        seed: fc.integer(),
        maxOutputTokens: fc.nat(),
        stopSequences: fc.array(fc.string(), { minLength: 1 }),
        thinkingConfig: fc.record({
          thinkingLevel: maybe(fc.constantFrom('LOW', 'HIGH')),
          thinkingBudget: fc.integer({ min: -1 }),
        }),
        mediaResolution: fc.constant('MEDIA_RESOLUTION_LOW'),
      },
      { requiredKeys: ['topK'] },
    );
    const texts = fc.array(fc.string(), { minLength: 1, maxLength: 3 });
    const contents = fc.array(fc.tuple(fc.constantFrom('user', 'model'), texts), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(config, contents, (generationConfig, turns) => {
        const request = JSON.parse(
          JSON.stringify({
            contents: turns.map(([role, said]) => ({ role, parts: said.map((text) => ({ text })) })),
            generationConfig,
          }),
        );
        expect(encoded(decoded(request)).body).toEqual(request);
      }),
      { numRuns: 100 },
    );
  });

  test('wraps the whole request of a count with the upstream’s model', () => {
    const request = decoded(
      { generateContentRequest: { contents: hi, labels: { a: 'b' } } },
      { purpose: 'count-tokens' },
    );
    const result = gemini.counting?.encodeRequest(request, target('up'));
    if (result === undefined || result instanceof Failure) throw new Error('no count request');
    expect(JSON.parse(textOf(result.body))).toEqual({
      generateContentRequest: { model: 'models/up', contents: hi, labels: { a: 'b' } },
    });
    const vertex = target('up', [{ kind: 'omit', field: 'generateContentRequest', why: 'Vertex has no such member' }]);
    const plain = gemini.counting?.encodeRequest(request, vertex);
    expect(plain === undefined || plain instanceof Failure ? null : JSON.parse(textOf(plain.body))).toEqual({
      contents: hi,
      labels: { a: 'b' },
    });
  });
});

describe('an ambiguous request', () => {
  const sent = (text: string, model = 'x') => gemini.parseRequest(utf8(text), { ...generate, model });
  const contents = '"contents":[{"parts":[{"text":"Hi"}]}]';

  test.each([
    [
      `{${contents},"generationConfig":{"maxOutputTokens":1,"max_output_tokens":9}}`,
      'generationConfig.maxOutputTokens',
    ],
    [`{${contents},"generation_config":{},"generationConfig":{}}`, 'generationConfig'],
    [`{${contents},"generationConfig":{"MaxOutputTokens":1}}`, 'generationConfig.MaxOutputTokens'],
    [`{${contents},"generationConfig":{"candidateCount":1,"candidateCount":8}}`, 'generationConfig.candidateCount'],
    [`{${contents},"generationConfig":{"maxOutputTokens":"0x10"}}`, 'generationConfig.maxOutputTokens'],
    [`{${contents},"generationConfig":{"maxOutputTokens":" 5 "}}`, 'generationConfig.maxOutputTokens'],
  ])('%s is refused', (text, param) => {
    const failure = sent(text);
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ status: 400, details: { param } });
  });

  test.each([
    `{${contents},"generation_config":{"max_output_tokens":"16"},"model":"models/x"}`,
    `{${contents},"generationConfig":{"maxOutputTokens":"1e2"},"model":"x"}`,
  ])('%s is accepted', (text) => {
    expect(sent(text)).not.toBeInstanceOf(Failure);
  });
});
