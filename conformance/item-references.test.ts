import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, type ModelMessage, stepCountIs, streamText, tool } from 'ai';
import {
  accountWith,
  channelTo,
  clientKey,
  keyNamed,
  type ReceivedRequest,
  startUpstream,
  streamedAnswer,
  wholeAnswer,
} from './first-light/upstream.ts';
import { asArray, asObject, parseJson } from './shared/json.ts';
import type { Serving } from './shared/serving.ts';
import { Workspace } from './shared/workspace.ts';

/*
 * The AI SDK with its default, `store: true`: from the second request on it refers to items of earlier responses by id. The upstream speaks
 * chat, so it stores none of them.
 */

const TURNS = 3;

/** Calls the clock tool in each turn before it answers: user messages get a tool call, tool results get a text. */
function scripted(request: ReceivedRequest): Response {
  const messages = asArray(asObject(parseJson(request.text)).messages).map(asObject);
  const isAsked = messages.at(-1)?.role === 'user';
  const text = `Answer ${messages.filter(({ role }) => role === 'user').length}.`;
  if (!isAsked) return request.stream ? streamedAnswer(request, { pieces: 1 }) : wholeAnswer(request, text);
  const call = {
    id: `call_${messages.length}`,
    type: 'function',
    function: { name: 'clock', arguments: '{"zone":"UTC"}' },
  };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const { model } = request;
  if (!request.stream) {
    const choice = {
      index: 0,
      message: { role: 'assistant', content: null, tool_calls: [call] },
      finish_reason: 'tool_calls',
    };
    return Response.json({ id: 'c', object: 'chat.completion', created: 1, model, choices: [choice], usage });
  }
  const chunk = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const body = `${chunk({ role: 'assistant', tool_calls: [{ index: 0, ...call }] }, null)}${chunk({}, 'tool_calls')}data: [DONE]\n\n`;
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

const upstream = startUpstream(scripted);
let space: Workspace;
let serving: Serving;

beforeAll(async () => {
  space = await Workspace.create();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [channelTo(upstream, { models: ['m'] })],
    accounts: ['acme', 'other'].map((id) => accountWith(id, [keyNamed(id)])),
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
}, 600_000);

afterAll(async () => {
  await space?.remove();
  await upstream.stop();
});

const sent: string[] = [];

function modelOf(account: string) {
  const tap = async (url: unknown, init?: RequestInit) => {
    sent.push(String(init?.body));
    return fetch(url as string, init);
  };
  const options = { baseURL: `${serving.origin}/v1`, apiKey: clientKey(account), fetch: tap as typeof fetch };
  return createOpenAI(options).responses('m');
}

const tools = {
  clock: tool({
    description: 'The time.',
    inputSchema: jsonSchema<{ zone: string }>({ type: 'object', properties: { zone: { type: 'string' } } }),
    execute: async () => 'noon',
  }),
};

async function turn(account: string, messages: ModelMessage[], stream: boolean): Promise<readonly ModelMessage[]> {
  const call = { model: modelOf(account), messages, tools, stopWhen: stepCountIs(3), maxRetries: 0 };
  if (!stream) return (await generateText(call)).responseMessages;
  const result = streamText({ ...call, onError: () => undefined });
  await result.consumeStream();
  return result.responseMessages;
}

/** Returns the latest conversation that the upstream received: the roles, with their calls and results. */
function lastHeard(): readonly string[] {
  const messages = asArray(asObject(parseJson(upstream.requests.at(-1)!.text)).messages).map(asObject);
  return messages.map(({ role, tool_calls }) => (tool_calls === undefined ? String(role) : `${role} calls`));
}

for (const stream of [false, true]) {
  test(`a tool loop of ${TURNS} turns by reference works with an upstream that stores nothing (${stream ? 'stream' : 'whole'})`, async () => {
    const messages: ModelMessage[] = [];
    const heard: string[] = [];
    for (let index = 0; index < TURNS; index++) {
      messages.push({ role: 'user', content: `Question ${index}` });
      heard.push('user', 'assistant calls', 'tool', 'assistant');
      messages.push(...(await turn('acme', messages, stream)));
    }
    expect(sent.at(-1)).toContain('"item_reference"');
    expect(lastHeard()).toEqual(heard.slice(0, -1));
  });
}

describe('an id', () => {
  const message = (itemId: string): ModelMessage => ({
    role: 'assistant',
    content: [{ type: 'text', text: 'Earlier.', providerOptions: { openai: { itemId } } }],
  });
  const follow = (account: string, itemId: string) =>
    turn(account, [message(itemId), { role: 'user', content: 'And now?' }], false).then(
      () => null,
      (error: unknown) => asObject(error as object),
    );

  test('that was never issued gets OpenAI’s error message', async () => {
    const error = await follow('acme', 'msg_nowhere');
    expect(error).toMatchObject({ statusCode: 404 });
    expect(String(asObject(error).message)).toContain("Item with id 'msg_nowhere' not found.");
  });

  test('of another account is not found, and the account’s own is', async () => {
    const answer = (await turn('acme', [{ role: 'user', content: 'Hello' }], false)).at(-1);
    const id = /msg_\w+/.exec(JSON.stringify(answer))?.[0] ?? 'none';
    expect(await follow('acme', id)).toBeNull();
    expect(await follow('other', id)).toMatchObject({ statusCode: 404 });
  });
});
