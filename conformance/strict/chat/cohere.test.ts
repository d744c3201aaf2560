import { expect, setDefaultTimeout, test } from 'bun:test';
import { asObject, parseJson } from '../../shared/json.ts';
import { channelTo, strictBed } from '../bed.ts';
import { cohereChat } from './cohere.ts';

/* Requests of three client formats to every model of Cohere, whose chat format always needs a translation. */

setDefaultTimeout(600_000);

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const user = { role: 'user', content: 'Hi' };
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
const tools = [{ type: 'function', function: { name: 'weather', parameters: SCHEMA, strict: true } }];
const format = { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA, strict: true } };
const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } };

type Body = Readonly<Record<string, unknown>>;

/** Each request with the member that the gateway may refuse, if any. */
const ASKED: readonly (readonly [string, Body, string?])[] = [
  ['/v1/chat/completions', { messages: [user], temperature: 2, top_p: 1, frequency_penalty: 2, presence_penalty: -2 }],
  ['/v1/chat/completions', { messages: [user], stop: ['a', 'b', 'c', 'd'], seed: 1, logprobs: true, top_logprobs: 2 }],
  ['/v1/chat/completions', { messages: [{ role: 'developer', content: 'Be brief.' }, user], reasoning_effort: 'high' }],
  ['/v1/chat/completions', { messages: [user], user: 'u', store: false, verbosity: 'low', metadata: { a: 'b' } }],
  ['/v1/chat/completions', { messages: [user], response_format: format }],
  ['/v1/chat/completions', { messages: [user], tools, parallel_tool_calls: false }],
  ['/v1/chat/completions', { messages: [user], tools, tool_choice: 'required' }, 'tool_choice'],
  ['/v1/chat/completions', { messages: [user], tools, response_format: format }, 'response_format'],
  ['/v1/chat/completions', { messages: [user], tools, response_format: { type: 'json_object' } }, 'response_format'],
  ['/v1/chat/completions', { messages: [{ role: 'user', content: [image] }] }, 'messages'],
  [
    '/v1/chat/completions',
    { messages: [user, { role: 'assistant', content: null, tool_calls: [call] }, result('call_1')], tools },
  ],
  ['/v1/messages', { max_tokens: 64, messages: [user], thinking: { type: 'enabled', budget_tokens: 2_000 } }],
  ['/v1/messages', { max_tokens: 64, messages: [user], top_k: 501, stop_sequences: ['a', 'b', 'c', 'd', 'e', 'f'] }],
  ['/v1/messages', { max_tokens: 64, messages: [user, { role: 'system', content: 'Be quick.' }, user] }],
  ['/v1/responses', { input: 'Hi', instructions: 'Be brief.', reasoning: { effort: 'low' } }],
];

function result(id: string) {
  return { role: 'tool', tool_call_id: id, content: 'Sunny.' };
}

const bed = strictBed([cohereChat], (server, upstream) => ({
  ...channelTo(server, upstream, (_, model) => model),
  formats: ['cohere-chat'],
}));

test.each(cohereChat.models)('%s never receives a request that it refuses', async (model) => {
  const wrong: unknown[] = [];
  for (const [path, body, refused] of ASKED) {
    for (const stream of [false, true]) {
      const { status, text } = await bed.post(path, { ...body, model, stream });
      const { param } = asObject(asObject(parseJson(text)).error);
      const isNamed = refused !== undefined && status === 400 && String(param).startsWith(refused);
      if (status !== 200 && !isNamed) wrong.push({ path, body, status, text: text.slice(0, 300) });
    }
  }
  expect(wrong).toEqual([]);
  expect(bed.refusals()).toEqual([]);
  expect(bed.server.requestsTo(cohereChat.name).length).toBeGreaterThan(10);
});
