import { describe, expect, test } from 'bun:test';
import { bodyOf } from '../shared/members.ts';
import { CLIENTS, type Client, describeOpenAiModels, type Json, openAiBed, SCHEMA } from './models.ts';

/*
 * Requests in every client format to OpenAI's and Azure's models, which refuse what the real ones refuse. `acceptance/sweeps` asks every model;
 * these are one that does not reason, one that always does, and one that does if asked.
 */

const bed = openAiBed();
const { ask } = bed;

describeOpenAiModels(bed, ['gpt-4.1', 'gpt-5', 'gpt-5.5']);

const sent = (upstream: string): Json => {
  const request = bed.strict.requestsTo(upstream).at(-1);
  if (request === undefined) throw new Error(`nothing was sent to ${upstream}`);
  return bodyOf(request);
};
const chat = CLIENTS.chat as Client;

describe('a relayed chat request', () => {
  test('has its losses named, and keeps everything else', async () => {
    const body = { ...chat.body({ sampling: true, penalties: 0.5 }), logit_bias: { 50256: -100 }, user: 'ann' };
    const { lost } = await ask(chat, 'openai-chat--gpt-5', body, false);
    expect(lost.toSorted()).toEqual(['frequency_penalty', 'logit_bias', 'presence_penalty', 'temperature', 'top_p']);
    expect(Object.keys(sent('openai-chat')).toSorted()).toEqual([
      ...['max_completion_tokens', 'messages', 'model', 'stream', 'user'],
    ]);
  });

  test('has no losses if the values are defaults', async () => {
    const body = { ...chat.body({ penalties: 0 }), temperature: 1, logprobs: false };
    expect((await ask(chat, 'openai-chat--gpt-5', body, false)).lost).toEqual([]);
    expect(sent('openai-chat')).not.toHaveProperty('presence_penalty');
  });

  test('has no losses if the model does not reason', async () => {
    const atRest = chat.body({ sampling: true });
    expect((await ask(chat, 'openai-chat--gpt-5.1', atRest, false)).lost).toEqual([]);
    expect(sent('openai-chat')).toMatchObject({ temperature: 0, top_p: 0.5 });
    const told = { ...chat.body({ sampling: true, effort: 'none' }) };
    expect((await ask(chat, 'openai-chat--gpt-5.5', told, false)).lost).toEqual([]);
    expect(sent('openai-chat')).toMatchObject({ temperature: 0, reasoning_effort: 'none' });
    const reasoning = chat.body({ sampling: true, effort: 'medium' });
    expect((await ask(chat, 'openai-chat--gpt-5.1', reasoning, false)).lost).toEqual(['temperature', 'top_p']);
  });
});

test('a chat request with tools and an effort is sent to the Responses API if the channel has it', async () => {
  const body = chat.body({ tools: true, effort: 'high' });
  expect((await ask(chat, 'openai-responses--gpt-5.4', body, false)).lost).toEqual([]);
  expect(sent('openai-responses')).toMatchObject({ reasoning: { effort: 'high' }, tools: [{ name: 'weather' }] });
  expect((await ask(chat, 'openai-chat--gpt-5.4', body, false)).lost).toEqual(['reasoning_effort']);
  expect(sent('openai-chat').reasoning_effort).toBe('none');
});

test('encrypted reasoning is requested only of reasoning models', async () => {
  const messages = CLIENTS.messages as Client;
  await ask(messages, 'openai-responses--gpt-4o', messages.body({}), false);
  expect(sent('openai-responses')).not.toHaveProperty('include');
  await ask(messages, 'openai-responses--gpt-5', messages.body({}), false);
  expect(sent('openai-responses').include).toEqual(['reasoning.encrypted_content']);
});

test('a schema that OpenAI refuses in strict mode is sent without it, with the loss named', async () => {
  const messages = CLIENTS.messages as Client;
  const tools = [{ name: 'weather', strict: true, input_schema: SCHEMA }];
  for (const place of ['openai-responses', 'openai-chat']) {
    const { status, lost } = await ask(messages, `${place}--gpt-4.1`, { ...messages.body({}), tools }, false);
    expect({ place, status, lost }).toEqual({ place, status: 200, lost: ['tools[0].strict'] });
  }
});

test('call ids of another provider that are too long are shortened, equally for a call and its result', async () => {
  const id = `call_${'x'.repeat(80)}`;
  const asked = {
    messages: [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: id, content: 'Snow.' },
    ],
  };
  const messages = CLIENTS.messages as Client;
  const used = {
    ...messages.body({}),
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'Snow.' }] },
    ],
  };
  for (const place of ['openai-chat', 'openai-responses']) {
    expect((await ask(chat, `${place}--gpt-4.1`, asked, false)).status).toBe(200);
    expect((await ask(messages, `${place}--gpt-4.1`, used, false)).status).toBe(200);
  }
});
