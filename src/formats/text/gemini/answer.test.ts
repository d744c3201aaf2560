import { describe, expect, test } from 'bun:test';
import type { Candidate, ExchangeResponse } from '../../../domain/exchange/response.ts';
import { completionTokens, promptTokens, type Usage } from '../../../domain/exchange/usage.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { gemini } from './index.ts';
import { chunk, context, type Json, ROUTING, source, utf8 } from './testing/support.ts';
import { decodeUsage, encodeUsage } from './usage.ts';

function answer(body: unknown): ExchangeResponse {
  const response = gemini.decodeAnswer(utf8(JSON.stringify(body)), source);
  if (response instanceof Failure) throw new Error(response.message);
  return response;
}

function only(body: unknown): Candidate {
  const [candidate] = answer(body).candidates;
  if (candidate === undefined) throw new Error('no candidate');
  return candidate;
}

function written(candidate: Partial<Candidate>, more: Partial<ExchangeResponse> = {}): Json {
  const whole: Candidate = { index: 0, parts: [], finish: { unified: 'stop', raw: null }, ...candidate };
  return JSON.parse(
    gemini.encodeAnswer({ id: null, created: null, candidates: [whole], usage: null, ...more }, context()),
  );
}

const stop = { finishReason: 'STOP' };

describe('decoding a response', () => {
  test('keeps parts with their signatures and origin', () => {
    const state = { family: 'google', data: 'c2ln', provider: 'google', channel: 'google-main' };
    const { parts, finish } = only(
      chunk(
        [
          { text: 'Hm', thought: true },
          { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'c2ln' },
          { inlineData: { mimeType: 'image/png', data: 'aGk=' }, thoughtSignature: 'c2ln' },
          { codeExecutionResult: { outcome: 'OUTCOME_OK' } },
          { text: 'Done' },
        ],
        stop,
      ),
    );
    expect(parts).toMatchObject([
      { type: 'reasoning', text: 'Hm', summary: true },
      { type: 'tool-call', name: 'f', arguments: '{"a":1}', state, id: 'gemini_call_Th-jaIKZKbCMqsMP3O2RkAo_0_0' },
      { type: 'image', source: { kind: 'base64', data: 'aGk=' }, mediaType: 'image/png', state },
      { type: 'unknown', format: 'gemini', value: { codeExecutionResult: { outcome: 'OUTCOME_OK' } } },
      { type: 'text', text: 'Done' },
    ]);
    expect(finish).toEqual({ unified: 'tool-calls', raw: 'STOP' });
  });

  test.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content-filter'],
    ['RECITATION', 'content-filter'],
    ['IMAGE_SAFETY', 'content-filter'],
    ['LANGUAGE', 'content-filter'],
    ['MODEL_ARMOR', 'content-filter'],
    ['SOMETHING_NEW', 'other'],
    [2, 'length'],
  ])('maps the reason %p to %p', (finishReason, unified) => {
    expect(only(chunk([{ text: 'a' }], { finishReason })).finish.unified).toBe(unified as never);
  });

  test('turns a blocked prompt into a refusal', () => {
    expect(only({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: {} })).toEqual({
      index: 0,
      parts: [{ type: 'refusal', text: 'The prompt was blocked: PROHIBITED_CONTENT.', byGateway: true }],
      finish: { unified: 'content-filter', raw: 'PROHIBITED_CONTENT' },
    });
  });

  test('reports one failed candidate among good ones as cut short', () => {
    const candidates = ['STOP', 'OTHER'].map((finishReason, index) => ({
      ...{ finishReason, index, content: { parts: [{ text: 'a' }] } },
    }));
    expect(answer({ candidates }).candidates.map(({ finish }) => finish.unified)).toEqual(['stop', 'length']);
  });

  test('accepts an empty STOP; an empty response is the upstream’s failure', () => {
    expect(only({ candidates: [{ ...stop }] })).toMatchObject({ parts: [], finish: { unified: 'stop' } });
    expect(gemini.decodeAnswer(utf8('{"kind":"?"}'), source)).toMatchObject({ kind: 'garbage' });
    expect(gemini.decodeAnswer(utf8('oops'), source)).toMatchObject({ kind: 'garbage' });
    expect(gemini.decodeAnswer(utf8('{"error":{"code":429,"message":"slow down"}}'), source)).toMatchObject({
      code: 'rate_limit_exceeded',
    });
  });

  test('joins a stream in array framing', () => {
    const chunks = [chunk([{ text: 'Hm', thought: true }]), chunk([{ text: 'Hel' }]), chunk([{ text: 'lo' }], stop)];
    expect(only(chunks)).toMatchObject({
      parts: [
        { type: 'reasoning', text: 'Hm' },
        { type: 'text', text: 'Hello' },
      ],
      finish: { unified: 'stop' },
    });
  });

  test('converts byte spans of supports to UTF-16 offsets in their part', () => {
    const grounding = {
      groundingChunks: [
        { web: { uri: 'https://a.example', title: 'A' } },
        { retrievedContext: { title: 'Doc', text: 'a passage' } },
        { web: { uri: 'https://c.example', title: 'C' } },
      ],
      groundingSupports: [
        { segment: { startIndex: 6, endIndex: 11, text: 'Sonne' }, groundingChunkIndices: [0, 1] },
        { segment: { partIndex: 1, endIndex: 5, text: 'Sonne' }, groundingChunkIndices: [9] },
      ],
      webSearchQueries: ['q'],
    };
    const body = chunk([{ text: 'thought', thought: true }, { text: '☀️Sonne' }], {
      ...stop,
      groundingMetadata: grounding,
    });
    const [, text] = only(body).parts;
    expect(text).toMatchObject({
      citations: [
        { url: 'https://a.example', title: 'A', start: 2, end: 7, raw: { format: 'gemini' } },
        { url: null, title: 'Doc', citedText: 'a passage', start: 2, end: 7 },
        { url: 'https://c.example', start: null, end: null },
      ],
    });
  });

  test('reads log probabilities', () => {
    const logprobsResult = {
      chosenCandidates: [{ token: 'Hi', tokenId: 1, logProbability: -0.5 }],
      topCandidates: [
        {
          candidates: [
            { token: 'Hi', logProbability: -0.5 },
            { token: 'Yo', logProbability: -2 },
          ],
        },
      ],
    };
    const { logprobs } = only(chunk([{ text: 'Hi' }], { ...stop, logprobsResult }));
    expect(logprobs).toMatchObject([
      { token: 'Hi', logprob: -0.5, top: [{ token: 'Hi' }, { token: 'Yo', logprob: -2 }] },
    ]);
  });
});

describe('usage', () => {
  const cases: readonly [string, Json, Partial<Usage>][] = [
    [
      'has cached tokens inside the prompt, and reasoning and Google’s tools separate',
      {
        promptTokenCount: 1_107,
        cachedContentTokenCount: 1_081,
        candidatesTokenCount: 21,
        thoughtsTokenCount: 41,
        toolUsePromptTokenCount: 1_171,
        totalTokenCount: 2_340,
      },
      { input: 26 + 1_171, cachedInput: 1_081, output: 21, reasoning: 41 },
    ],
    [
      'has media of the prompt itemized, and cached ones only once',
      {
        promptTokenCount: 1_000,
        cachedContentTokenCount: 300,
        candidatesTokenCount: 5,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 200 },
          { modality: 'AUDIO', tokenCount: 500 },
          { modality: 2, tokenCount: 300 },
        ],
        cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 300 }],
      },
      { input: 200, cachedInput: 300, inputAudio: 200, inputImage: 300, output: 5 },
    ],
    [
      'has generated images',
      {
        promptTokenCount: 7,
        candidatesTokenCount: 1_295,
        candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_290 }],
      },
      { output: 5, outputImage: 1_290 },
    ],
    [
      'derives missing counts from the total',
      { promptTokenCount: 10, thoughtsTokenCount: 4, totalTokenCount: 20 },
      { output: 6 },
    ],
    ['keeps a reported zero', { promptTokenCount: 10, candidatesTokenCount: 0, totalTokenCount: 10 }, { output: 0 }],
  ];

  test.each(cases)('%s', (_, raw, expected) => {
    const usage = decodeUsage(raw);
    expect(usage).toMatchObject({ ...expected, raw });
    if (usage === null || raw.totalTokenCount === undefined) return;
    expect(promptTokens(usage) + completionTokens(usage)).toBe(raw.totalTokenCount);
  });

  test.each(cases)('%s, and back', (_, raw) => {
    const usage = decodeUsage(raw);
    if (usage === null) throw new Error('no usage');
    const { raw: _raw, ...again } = decodeUsage(encodeUsage(usage, null)) ?? {};
    const { raw: _other, ...first } = usage;
    expect(again).toEqual(first);
  });

  test('is null for an object without counts', () => {
    expect(decodeUsage({ trafficType: 'ON_DEMAND' })).toBeNull();
    expect(decodeUsage(null)).toBeNull();
  });
});

describe('encoding a response', () => {
  test('includes every part', () => {
    const foreign = { family: 'anthropic', data: 'x', provider: 'anthropic', channel: 'a' } as const;
    const body = written(
      {
        parts: [
          { type: 'reasoning', text: '', redacted: true, state: foreign },
          { type: 'text', text: 'Hi' },
          { type: 'refusal', text: 'No' },
          { type: 'unknown', format: 'anthropic-messages', value: {} },
          { type: 'tool-call', id: 'c', name: 'f', arguments: '{"a":1}' },
        ],
        finish: { unified: 'tool-calls', raw: 'tool_use' },
      },
      {
        id: 'msg_01abcdefgh',
        usage: { input: 1, cachedInput: 0, cacheWrite: 2, output: 3, reasoning: 0, source: 'reported' },
      },
    );
    expect(body.candidates[0].content.parts).toEqual([
      { text: 'Hi' },
      { text: 'No' },
      {
        functionCall: { name: 'f', args: { a: 1 }, id: 'c' },
        thoughtSignature: expect.stringMatching(/^[A-Za-z0-9+/=]+$/),
      },
    ]);
    expect(body).toMatchObject({
      candidates: [{ content: { role: 'model' }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 3, totalTokenCount: 6 },
      modelVersion: 'public-model',
      responseId: 'fresh1',
      _routing: JSON.parse(ROUTING),
    });
  });

  test('has an empty part without content, and none for a filtered response', () => {
    expect(written({}).candidates[0].content).toEqual({ parts: [{ text: '' }], role: 'model' });
    expect(written({ finish: { unified: 'content-filter', raw: null } }).candidates[0]).toMatchObject({
      content: { role: 'model' },
      finishReason: 'SAFETY',
    });
  });

  test('has citations as chunks and supports in bytes', () => {
    const cite = { documentIndex: null, raw: null };
    const citations = [
      { ...cite, url: 'https://a.example', title: 'A', citedText: null, start: 2, end: 7 },
      { ...cite, url: 'https://a.example', title: 'A', citedText: null, start: null, end: null },
      { ...cite, url: null, title: 'Doc', citedText: 'passage', start: 0, end: 2 },
    ];
    const body = written({ parts: [{ type: 'text', text: '☀️Sonne', citations }] });
    expect(body.candidates[0].groundingMetadata).toEqual({
      groundingChunks: [
        { web: { uri: 'https://a.example', title: 'A' } },
        { retrievedContext: { title: 'Doc', text: 'passage' } },
      ],
      groundingSupports: [
        { segment: { startIndex: 6, endIndex: 11, text: 'Sonne' }, groundingChunkIndices: [0] },
        { segment: { startIndex: 0, endIndex: 6, text: '☀️' }, groundingChunkIndices: [1] },
      ],
    });
  });

  test("has Google's own sources unchanged", () => {
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: 'u', title: 't' } }],
      searchEntryPoint: { renderedContent: '<b>' },
    };
    const candidate = only(chunk([{ text: 'Hi' }], { ...stop, groundingMetadata }));
    expect(written(candidate).candidates[0].groundingMetadata).toEqual(groundingMetadata);
  });

  test('has a count, and whether it is an estimate', () => {
    expect(gemini.encodeTokenCount?.(7, false, context())).toBe(`{"totalTokens":7,"_routing":${ROUTING}}`);
    expect(JSON.parse(gemini.encodeTokenCount?.(7, true, context()) ?? '')).toMatchObject({
      totalTokens: 7,
      estimated: true,
    });
  });
});

test('candidates with the same index are kept apart, and an invalid index is replaced', () => {
  const candidate = { content: { parts: [{ text: 'a' }] }, finishReason: 'constructor' };
  const indexes = (...given: readonly unknown[]) =>
    answer({ candidates: given.map((index) => ({ ...candidate, index })) }).candidates.map(({ index }) => index);
  expect(indexes(1, 1)).toEqual([0, 1]);
  expect(indexes(-1, 1e300)).toEqual([0, 1]);
  expect(indexes(1, 0)).toEqual([1, 0]);
  expect(only({ candidates: [candidate] }).finish).toEqual({ unified: 'other', raw: 'CONSTRUCTOR' });
});
