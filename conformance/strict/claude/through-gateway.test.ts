import { expect, test } from 'bun:test';
import { asObject } from '../../shared/json.ts';
import { CLAUDE_CODE, claudeCode, hi } from '../shared/client-requests.ts';
import { claudeBed, describeClaudeModels, UPSTREAMS } from './models.ts';

/*
 * Requests in every client format become requests that Claude accepts, at Anthropic and at the clouds. `acceptance/sweeps` asks every model
 * family; these are the first model of each upstream.
 */

const bed = claudeBed();
const { ask, refusalsOf } = bed;

describeClaudeModels(
  bed,
  UPSTREAMS.map(({ name, models: [id] }) => `${name}/${id}`),
);

test.each(UPSTREAMS)(
  'a cache mark of the whole request has a form that $name accepts',
  async ({ name, models: [id] }) => {
    const cache_control = { type: 'ephemeral', ttl: '1h' };
    const body = { max_tokens: 64, messages: [hi], cache_control };
    expect(await refusalsOf('messages', `${name}/${id}`, body)).toEqual([]);
    await ask('messages', `${name}/${id}`, body);
    const { messages, cache_control: ofAll } = asObject(bed.server.journal.at(-1)?.request.body);
    const content = [{ type: 'text', text: hi.content, cache_control }];
    expect({ messages, ofAll }).toEqual(
      name === 'anthropic'
        ? { messages: [hi], ofAll: cache_control }
        : { messages: [{ role: 'user', content }], ofAll: undefined },
    );
  },
);

test('a token count has only known flags and members', async () => {
  const response = await fetch(`${bed.gateway.origin}/v1/messages/count_tokens`, {
    method: 'POST',
    headers: { 'x-api-key': bed.gateway.apiKey, 'content-type': 'application/json', ...CLAUDE_CODE },
    body: JSON.stringify({
      ...claudeCode(),
      max_tokens: undefined,
      metadata: undefined,
      model: 'anthropic/claude-opus-5',
    }),
  });
  expect(await response.json()).toMatchObject({ input_tokens: 42 });
  expect(bed.server.refusals).toEqual([]);
});
