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
  test.each(OWN_FORMATS)('$folder: requests that succeeded', ({ folder, format }) => {
    const asked = recordingsOf(folder).filter(({ status, requestBody }) => status === 200 && requestBody !== null);
    expect(asked.length).toBeGreaterThan(20);
    const problems = asked.flatMap((one) => named(one, judgeRequest(format, parseJson(one.requestBody ?? ''))));
    expect(problems).toEqual([]);
  });

  test.each(OWN_FORMATS)('$folder: complete responses', ({ folder, format }) => {
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

describe('a translated response is validated more strictly', () => {
  test('OpenAI’s newest responses satisfy Open Responses in full', () => {
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

describe('a violation names the place and the rule', () => {
  const chat = {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi', refusal: null }, finish_reason: 'stop' }],
  };

  test('for a member of the wrong type', () => {
    expect(judgeAnswer('openai-chat', { ...chat, created: 'now' })).toEqual(['/created: must be integer']);
  });

  test('for a value outside the enum', () => {
    const choices = [{ ...chat.choices[0], finish_reason: 'end_turn' }];
    const [problem] = judgeAnswer('openai-chat', { ...chat, choices });
    expect(problem).toStartWith('/choices/0/finish_reason: must be one of "stop"');
  });

  test('but undocumented nulls and unknown members are allowed', () => {
    expect(judgeAnswer('openai-chat', { ...chat, usage: null, system_fingerprint: null, extra: 1 })).toEqual([]);
  });

  test("but the gateway's routing information is allowed", () => {
    expect(judgeAnswer('openai-chat', { ...chat, _routing: { cached: false } })).toEqual([]);
  });

  test('for the union branch that the discriminator selects', () => {
    const request = { model: 'm', messages: [{ role: 'tool', content: 'x' }] };
    expect(judgeRequest('openai-chat', request)).toEqual(["/messages/0: must have required property 'tool_call_id'"]);
  });

  test('for a union in which no branch has the type', () => {
    const event = { type: 'content_block_delta', index: 0, delta: { type: 'text', text: 'x' } };
    const [problem] = judgeStreamEvent('anthropic-messages', event);
    expect(problem).toStartWith('/delta/type: is "text", not one of "text_delta"');
  });

  test('for an unknown member of a closed request', () => {
    const request = { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'x' }], stop: ['a'] };
    expect(judgeRequest('anthropic-messages', request)).toEqual(["/: must not have the property 'stop'"]);
  });

  test('but a field of the Messages beta is allowed', () => {
    const request = { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'x' }], mcp_servers: [] };
    expect(judgeRequest('anthropic-messages', request)).toEqual([]);
  });

  test('for an unknown name in a snake_case Gemini request', () => {
    const contents = [{ role: 'user', parts: [{ inline_data: { mime_type: 'image/png', data: 'AA==' } }] }];
    expect(judgeRequest('gemini', { contents, generation_config: { max_output_tokens: 5 } })).toEqual([]);
    expect(judgeRequest('gemini', { contents, generationConfig: { maxTokens: 5 } })).toEqual([
      "/generationConfig: must not have the property 'maxTokens'",
    ]);
  });

  test('for a null in a required member', () => {
    expect(judgeRequest('anthropic-messages', { model: 'm', max_tokens: 5, messages: null })).toEqual([
      '/messages: must be array',
    ]);
  });

  test('for an error in the shape of another format', () => {
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
