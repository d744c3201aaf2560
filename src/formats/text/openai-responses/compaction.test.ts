import { describe, expect, test } from 'bun:test';
import type { ExchangeResponse } from '../../../domain/exchange/response.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ParsedRequest } from '../client-request.ts';
import { compacting } from './compaction.ts';
import { openaiResponses } from './index.ts';
import { issuing } from './reasoning.ts';
import { storing } from './storing.ts';
import { context, encoded, parsed } from './testing/context.ts';

const user = (text: string) => ({ role: 'user', content: text });
const seal = (text: string) => Buffer.from(`sealed ${text}`).toString('base64');
const open = (sealed: string) => {
  const text = Buffer.from(sealed, 'base64').toString();
  return text.startsWith('sealed ') ? text.slice(7) : null;
};

function answerOf(text: string, over: Partial<ExchangeResponse['candidates'][number]> = {}): ExchangeResponse {
  const candidate = {
    index: 0,
    parts: [{ type: 'text' as const, text }],
    finish: { unified: 'stop', raw: null } as const,
  };
  const usage = { input: 50, cachedInput: 0, cacheWrite: 0, output: 9, reasoning: 0, source: 'reported' } as const;
  return { id: null, created: null, candidates: [{ ...candidate, ...over }], usage };
}

function compacted(input: unknown, response = answerOf('They like pears.')) {
  const json = compacting.encodeAnswer(
    response,
    { ...context(), parsed: compacting.summaryRequest(parsed({ model: 'm', input })) },
    seal,
  );
  if (json instanceof Failure) throw json;
  return JSON.parse(json);
}

function opened(request: ParsedRequest): ParsedRequest {
  const result = compacting.opened(request, open);
  if (result instanceof Failure) throw new Error(result.message);
  return result;
}

const summaryBody = (body: object) => {
  const decoded = openaiResponses.decodeRequest(compacting.summaryRequest(parsed({ model: 'm', ...body })));
  if (decoded instanceof Failure) throw new Error(decoded.message);
  return encoded(decoded).body;
};

describe('a compaction', () => {
  test('keeps user messages, and one item in place of all else', () => {
    const { output, usage, object } = compacted([
      { role: 'developer', content: 'Be brief.' },
      user('I like pears.'),
      { role: 'assistant', content: 'Noted.' },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'done' },
    ]);
    expect(object).toBe('response.compaction');
    expect(output).toMatchObject([
      { type: 'message', role: 'developer', status: 'completed', content: [{ type: 'input_text', text: 'Be brief.' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'I like pears.' }] },
      { type: 'compaction', id: expect.stringMatching(/^cmp_/), encrypted_content: expect.any(String) },
    ]);
    expect(usage).toMatchObject({ input_tokens: 50, output_tokens: 9, total_tokens: 59 });
  });

  test('is replaced by its summary for any upstream, and other bytes stay', () => {
    const item = compacted('Hi').output.at(-1);
    const sent = `{ "x" : 1.50, "input" : ${JSON.stringify([user('I like pears.'), item, user('And I?')])} , "model":"m"}`;
    const request = opened(parsed(sent));
    const text = new TextDecoder().decode(request.bytes);
    expect(text).toStartWith('{ "x" : 1.50, "input" : [');
    expect(text).toEndWith('] , "model":"m"}');
    expect(JSON.parse(text)).toEqual(request.body);
    const [, summary] = request.body.input as { content: { text: string }[] }[];
    expect(summary).toMatchObject({ type: 'message', role: 'user' });
    expect(summary?.content[0]?.text).toEndWith('\n\nThey like pears.');
    expect(request.body.input).toHaveLength(3);
  });

  test('is stored, and compacted again, as the client sent it', () => {
    const item = compacted('Hi').output.at(-1);
    const request = opened(parsed({ model: 'm', input: [user('I like pears.'), item, user('And I?')] }));
    expect(JSON.parse(storing.inputItems(request, (prefix) => `${prefix}1`))[1]).toEqual(item);
    const json = compacting.encodeAnswer(
      answerOf('All in all.'),
      { ...context(), parsed: compacting.summaryRequest(request) },
      seal,
    );
    const types = JSON.parse(String(json)).output.map(({ type }: { type: string }) => type);
    expect(types).toEqual(['message', 'message', 'compaction']);
  });

  test('that cannot be decrypted is refused by name', () => {
    const { encrypted_content: token, ...item } = compacted('Hi').output.at(-1);
    const request = parsed({ model: 'm', input: [{ ...item, encrypted_content: `${token.slice(0, 26)}AAAA` }] });
    expect(compacting.opened(request, open)).toMatchObject({
      status: 400,
      details: { param: 'input[0].encrypted_content' },
    });
  });

  test('may occur at most 200 times', () => {
    const item = compacted('Hi').output.at(-1);
    const request = parsed({ model: 'm', input: Array(201).fill(item) });
    expect(compacting.opened(request, open)).toMatchObject({ status: 400, details: { param: 'input' } });
  });

  test('of a provider is unchanged', () => {
    const item = { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAAABpM0Yj-theirs' };
    const request = parsed({ model: 'm', input: [user('Hi'), item] });
    expect(opened(request)).toBe(request);
    expect(issuing.presented(request)).toEqual(['gAAAAABpM0Yj-theirs']);
    expect(issuing.issued(JSON.stringify({ output: [item] }))).toEqual(['gAAAAABpM0Yj-theirs']);
    const decoded = openaiResponses.decodeRequest(request);
    if (decoded instanceof Failure) throw decoded;
    expect(encoded(decoded).body.input[1]).toEqual(item);
    const elsewhere = decoded.messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) =>
        part.type === 'unknown' && part.state ? { ...part, state: { ...part.state, channel: 'other' } } : part,
      ),
    }));
    expect(encoded({ ...decoded, messages: elsewhere }).losses).toMatchObject([
      { field: 'input[1]', verdict: 'refused' },
    ]);
  });

  test.each([
    ['no text', answerOf('  ')],
    ['a call', answerOf('', { parts: [{ type: 'tool-call', id: 'c1', name: 'f', arguments: '{}' }] })],
  ])('fails if the model responds with %s', (_, response) => {
    expect(compacting.encodeAnswer(response, context(), seal)).toMatchObject({ code: 'upstream_error' });
  });

  test('reports that it was truncated', () => {
    const cut = compacted('Hi', answerOf('They like', { finish: { unified: 'length', raw: null } }));
    const token = cut.output.at(-1).encrypted_content.slice(24);
    expect(open(token)).toContain('They like\n[The summary ends here');
  });
});

describe('the request for a summary', () => {
  test('has the conversation with the client’s instructions, its tools, and a final instruction', () => {
    const tools = [{ type: 'function', name: 'f', parameters: {} }, { type: 'web_search' }];
    const body = summaryBody({
      instructions: 'Be kind.',
      input: [user('I like pears.')],
      tools,
      tool_choice: 'required',
      text: { format: { type: 'json_object' } },
      prompt_cache_key: 'k',
    });
    expect(body).toMatchObject({ instructions: 'Be kind.', tool_choice: 'none', prompt_cache_key: 'k', store: false });
    expect(body.tools).toHaveLength(1);
    expect(body.text).toBeUndefined();
    expect(body.input).toHaveLength(2);
    expect(body.input.at(-1)).toMatchObject({ role: 'user' });
    expect(JSON.stringify(body.input.at(-1))).toContain('Answer with the summary alone.');
  });

  test('has placeholders for unanswered calls', () => {
    const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' });
    const { input } = summaryBody({
      input: [user('Go.'), call('a'), call('b'), { type: 'function_call_output', call_id: 'b', output: 'B' }],
    });
    const outputs = input.filter(({ type }: { type: string }) => type === 'function_call_output');
    expect(outputs).toMatchObject([
      { call_id: 'a', output: expect.stringContaining('no output') },
      { call_id: 'b', output: 'B' },
    ]);
  });
});
