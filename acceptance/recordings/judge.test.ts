import { describe, expect, test } from 'bun:test';
import {
  type Format,
  judgeAnswer,
  judgeError,
  judgeRequest,
  judgeStreamEvent,
} from '../../conformance/judges/judge.ts';
import { UNFAITHFUL_RECORDINGS } from '../../conformance/judges/unfaithful-recordings.ts';
import { streamedJson } from '../../conformance/readers/server-sent-events.ts';
import { parseJson } from '../../conformance/shared/json.ts';
import { allExchanges, type Recording, readRecording } from '../../conformance/shared/recordings.ts';

const OWN_FORMATS: readonly { readonly folder: string; readonly format: Format }[] = [
  { folder: 'openai/chat', format: 'openai-chat' },
  { folder: 'openai/responses', format: 'openai-responses' },
  { folder: 'anthropic/messages', format: 'anthropic-messages' },
  { folder: 'gemini/generateContent', format: 'gemini' },
];

function recordingsOf(folder: string): readonly Recording[] {
  return allExchanges()
    .filter((row) => `${row.provider}/${row.api}` === folder && !UNFAITHFUL_RECORDINGS.has(row.file))
    .map(readRecording);
}

function eventsOf(recording: Recording): readonly unknown[] {
  return recording.stream ? streamedJson(recording.responseBody) : [];
}

describe('real traffic is valid by the document of its own service', () => {
  test.each(OWN_FORMATS)('$folder: requests that were answered', ({ folder, format }) => {
    const asked = recordingsOf(folder).filter(({ status, requestBody }) => status === 200 && requestBody !== null);
    expect(asked.length).toBeGreaterThan(20);
    const problems = asked.flatMap((one) => named(one, judgeRequest(format, parseJson(one.requestBody ?? ''))));
    expect(problems).toEqual([]);
  });

  test.each(OWN_FORMATS)('$folder: whole answers', ({ folder, format }) => {
    const whole = recordingsOf(folder).filter(({ status, stream }) => status === 200 && !stream);
    expect(whole.length).toBeGreaterThan(20);
    expect(whole.flatMap((one) => named(one, judgeAnswer(format, parseJson(one.responseBody))))).toEqual([]);
  });

  test.each(OWN_FORMATS)('$folder: stream events', ({ folder, format }) => {
    const streams = recordingsOf(folder).filter(({ status, stream }) => status === 200 && stream);
    expect(streams.length).toBeGreaterThan(20);
    const problems = streams.flatMap((one) =>
      eventsOf(one).flatMap((event) => named(one, judgeStreamEvent(format, event))),
    );
    expect(problems).toEqual([]);
  });

  test.each(OWN_FORMATS)('$folder: errors', ({ folder, format }) => {
    const failures = recordingsOf(folder).filter(({ status }) => status >= 400);
    expect(failures.length).toBeGreaterThan(5);
    expect(failures.flatMap((one) => named(one, judgeError(format, parseJson(one.responseBody))))).toEqual([]);
  });
});

describe('a translated answer is judged more strictly', () => {
  test('the newest answers of OpenAI satisfy Open Responses in full', () => {
    const whole = recordingsOf('openai/responses').filter(({ status, stream }) => status === 200 && !stream);
    const full = whole.filter(
      (one) => judgeAnswer('openai-responses', parseJson(one.responseBody), 'translated').length === 0,
    );
    expect(full.length).toBeGreaterThan(5);
  });

  test('an older one does not', () => {
    const old = recordingsOf('openai/responses').find(({ file }) => file.includes('/093-'));
    const body = parseJson(old?.responseBody ?? '');
    expect(judgeAnswer('openai-responses', body)).toEqual([]);
    expect(judgeAnswer('openai-responses', body, 'translated')).toContain(
      "/: must have required property 'top_logprobs'",
    );
  });
});

describe('a judge names the place and the rule', () => {
  const chat = {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi', refusal: null }, finish_reason: 'stop' }],
  };

  test('a member of the wrong type', () => {
    expect(judgeAnswer('openai-chat', { ...chat, created: 'now' })).toEqual(['/created: must be integer']);
  });

  test('a value that is not in the enum', () => {
    const choices = [{ ...chat.choices[0], finish_reason: 'end_turn' }];
    const [problem] = judgeAnswer('openai-chat', { ...chat, choices });
    expect(problem).toStartWith('/choices/0/finish_reason: must be one of "stop"');
  });

  test('a null where the document gives none is fine, and so are unknown members', () => {
    expect(judgeAnswer('openai-chat', { ...chat, usage: null, system_fingerprint: null, extra: 1 })).toEqual([]);
  });

  test("the gateway's routing may stand in an answer", () => {
    expect(judgeAnswer('openai-chat', { ...chat, _routing: { cached: false } })).toEqual([]);
  });

  test('of a union, the branch that the discriminator names', () => {
    const request = { model: 'm', messages: [{ role: 'tool', content: 'x' }] };
    expect(judgeRequest('openai-chat', request)).toEqual(["/messages/0: must have required property 'tool_call_id'"]);
  });

  test('of a union, that no branch has the type', () => {
    const event = { type: 'content_block_delta', index: 0, delta: { type: 'text', text: 'x' } };
    const [problem] = judgeStreamEvent('anthropic-messages', event);
    expect(problem).toStartWith('/delta/type: is "text", not one of "text_delta"');
  });

  test('an unknown member of a closed request', () => {
    const request = { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'x' }], stop: ['a'] };
    expect(judgeRequest('anthropic-messages', request)).toEqual(["/: must not have the property 'stop'"]);
  });

  test('a field that only the beta of Messages has is fine', () => {
    const request = { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'x' }], mcp_servers: [] };
    expect(judgeRequest('anthropic-messages', request)).toEqual([]);
  });

  test("Gemini's requests in snake_case, with an unknown name", () => {
    const contents = [{ role: 'user', parts: [{ inline_data: { mime_type: 'image/png', data: 'AA==' } }] }];
    expect(judgeRequest('gemini', { contents, generation_config: { max_output_tokens: 5 } })).toEqual([]);
    expect(judgeRequest('gemini', { contents, generationConfig: { maxTokens: 5 } })).toEqual([
      "/generationConfig: must not have the property 'maxTokens'",
    ]);
  });

  test('a request that has a null for a required member', () => {
    expect(judgeRequest('anthropic-messages', { model: 'm', max_tokens: 5, messages: null })).toEqual([
      '/messages: must be array',
    ]);
  });

  test("errors in another format's shape", () => {
    expect(judgeError('anthropic-messages', { error: { message: 'no', type: 'api_error' } })).toEqual([
      "/: must have required property 'type'",
    ]);
    expect(judgeError('gemini', { error: { code: 400, message: 'no' } })).toEqual([
      "/error: must have required property 'status'",
    ]);
  });
});

function named(recording: Recording, problems: readonly string[]): readonly string[] {
  return problems.map((problem) => `${recording.file}: ${problem}`);
}
