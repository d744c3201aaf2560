import { describe, expect, test } from 'bun:test';
import { clientFormats } from '../../../formats/index.ts';
import { anthropicMessages } from '../../../formats/text/anthropic-messages/index.ts';
import { openaiResponses } from '../../../formats/text/openai-responses/index.ts';
import { fakePorts } from '../../call/testing/fake-ports.ts';
import { type Asked, laneTo, preparedBy } from '../../call/testing/sample-lanes.ts';
import { channelOf, targetOf } from '../../call/testing/sample-routes.ts';
import { headerProblem } from './relayed-headers.ts';

const problem = (format: typeof anthropicMessages, headers: Record<string, string>) =>
  headerProblem(format, { header: (name) => headers[name] ?? null });

describe('an outgoing header is checked', () => {
  test.each([
    ['anthropic-beta', 'claude-code-20250219,interleaved-thinking-2025-05-14, fine-grained-tool-streaming-2025-05-14'],
    ['anthropic-beta', ''],
    ['anthropic-beta', 'one'],
    ['anthropic-version', '2023-06-01'],
    ['anthropic-version', 'bedrock-2023-05-31'],
  ])('%s: %s passes', (name, value) => {
    expect(problem(anthropicMessages, { [name]: value })).toBeNull();
  });

  test('openai-beta: assistants=v2, responses=v1 passes', () => {
    expect(problem(openaiResponses, { 'openai-beta': 'assistants=v2, responses=v1' })).toBeNull();
  });

  const WRONG = ['a\nb', 'a\u0000b', 'é', '\u{1f600}', 'a b', 'a;b', 'a,,b', '{"a":1}', '<a>', 'x'.repeat(129)];
  const TOO_MANY = [
    Array.from({ length: 65 }, (_, at) => `b${at}`).join(','),
    'abcdefghij,'.repeat(300),
    ','.repeat(9),
  ];
  for (const format of clientFormats.values()) {
    for (const { name } of format.relayedHeaders) {
      test.each([...WRONG, ...TOO_MANY])(`${format.name}: ${name}: %j is refused by name`, (value) => {
        const failure = problem(format, { [name]: value });
        expect(failure).toMatchObject({ code: 'invalid_value', status: 400, details: { param: name } });
        expect(failure?.message).toStartWith(`The header \`${name}\` must be `);
      });
    }
  }

  test('a long header is checked quickly', () => {
    const { user } = process.cpuUsage();
    problem(anthropicMessages, { 'anthropic-beta': `${'a ,'.repeat(50_000)}!` });
    problem(anthropicMessages, { 'anthropic-beta': `${'a'.repeat(50_000)}!` });
    expect(process.cpuUsage().user - user).toBeLessThan(50_000);
  });
});

describe('a relayed request', () => {
  const text = (bytes: Uint8Array | string | null) =>
    typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes ?? new Uint8Array(0));
  const laneOf = (provider: string, asked: Asked, changes = {}) => {
    const target = { ...targetOf(channelOf('a', provider), asked.format), ...changes };
    return laneTo(fakePorts().ports, target, asked);
  };
  const messages = { format: 'anthropic-messages' };

  test('is the client’s own except for the model, including unknown members', async () => {
    const fields = { unheard_of: { of: [1.5, null] }, temperature: 0.1 };
    const { body, headers, losses } = await preparedBy(laneOf('chatting', { fields }));
    expect(text(body)).toEndWith('"unheard_of":{"of":[1.5,null]},"temperature":0.1}');
    expect(JSON.parse(text(body)).model).toBe('up');
    expect([headers, losses]).toEqual([null, []]);
  });

  test('that is a stream asks for usage, unless the provider refuses that', async () => {
    const fields = { stream: true };
    const asking = await preparedBy(laneOf('chatting', { fields }));
    expect(JSON.parse(text(asking.body)).stream_options).toEqual({ include_usage: true });
    const relayMembers = { renames: {}, omits: ['stream_options'], lacks: new Map(), sets: [], losses: [] };
    const omitting = await preparedBy(laneOf('chatting', { fields }, { relayMembers }));
    expect(JSON.parse(text(omitting.body)).stream_options).toBeUndefined();
  });

  test('names its session only to a provider that knows the member', async () => {
    const fields = { session_id: 'secret-session', temperature: 0.1 };
    const { body, losses } = await preparedBy(laneOf('chatting', { fields }));
    expect(text(body)).not.toContain('session');
    expect(text(body)).toEndWith('"temperature":0.1}');
    expect(losses).toEqual([]);
    const knowing = await preparedBy(laneOf('chatting', { fields }, { takesSessionId: true }));
    expect(JSON.parse(text(knowing.body)).session_id).toBe('secret-session');
  });

  test('keeps the client’s headers of its format', async () => {
    const headers = { 'anthropic-beta': 'one', cookie: 'secret', authorization: 'Bearer sk-test' };
    const prepared = await preparedBy(laneOf('messaging', { ...messages, headers }));
    expect(prepared.headers).toEqual({ 'anthropic-beta': 'one' });
  });

  test.each([
    ['one, two,three', 'one,three', ['anthropic-beta: two']],
    ['two', undefined, ['anthropic-beta: two']],
    ['one', 'one', []],
  ])('drops and reports flags that the provider does not know: %s', async (sent, kept, lost) => {
    const betas = { flags: [{ flag: 'one' }, { flag: 'three' }], members: [] };
    const body = { remove: [], add: {}, betas };
    const lane = laneOf('messaging', { ...messages, headers: { 'anthropic-beta': sent } }, { body });
    const { headers, losses } = await preparedBy(lane);
    expect(headers?.['anthropic-beta']).toBe(kept);
    expect(losses.map(({ field }) => field)).toEqual(lost);
    expect(losses.every(({ verdict }) => verdict === 'dropped')).toBe(true);
  });

  test('gets the upstream’s bytes back except for the model and `_routing`', () => {
    const answer = laneOf('chatting', {}).answer(
      new TextEncoder().encode(
        '{ "choices": [{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop","x":1.50}], "model": "up-1" }',
      ),
    );
    if (!('body' in answer)) throw new Error('it has failed');
    expect(text(answer.body)).toStartWith(
      '{ "choices": [{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop","x":1.50}], "model": "public-model"',
    );
    expect(JSON.parse(text(answer.body))._routing).toMatchObject({ channel: { id: 'a' } });
    expect(answer.served.model).toBe('up-1');
  });
});
