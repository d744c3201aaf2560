import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import OpenAI, { BadRequestError, NotFoundError } from 'openai';
import { ANSWER_TEXT, accountWith, channelTo, clientKey, keyNamed, startUpstream } from '../first-light/upstream.ts';
import { asObject, parseJson } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { Workspace } from '../shared/workspace.ts';

/* POST /v1/responses with `store`, over an upstream that speaks chat completions and stores nothing. */

/** Resolves to the error that the SDK throws, or `null`. The SDK only sends a request when its promise is awaited. */
async function thrownBy(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    await call;
    return null;
  } catch (error) {
    return error;
  }
}

describe('stored responses', () => {
  const upstream = startUpstream();
  let space: Workspace;
  let serving: Serving;
  let client: OpenAI;
  let stranger: OpenAI;

  beforeAll(async () => {
    space = await Workspace.create();
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
      channels: [channelTo(upstream, { models: ['alpha'] })],
      accounts: [accountWith('acme', [keyNamed('main')]), accountWith('globex', [keyNamed('globex')])],
    });
    serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
    const sdk = (key: string) => new OpenAI({ baseURL: serving.baseUrl, apiKey: clientKey(key), maxRetries: 0 });
    client = sdk('main');
    stranger = sdk('globex');
  });

  afterAll(async () => {
    await space.remove();
    await upstream.stop();
  });

  const lastMessages = () => asObject(parseJson(upstream.requests.at(-1)?.text ?? '{}')).messages;

  test('can be read, listed by input and deleted', async () => {
    const made = await client.responses.create({ model: 'alpha', input: 'One.', instructions: 'Be short.' });
    const read = await client.responses.retrieve(made.id);
    expect(read.id).toBe(made.id);
    expect(read.output_text).toBe(ANSWER_TEXT);
    // The contract's field, and OpenAI's.
    expect(read).toMatchObject({ created: made.created_at, created_at: made.created_at });
    const items = await client.responses.inputItems.list(made.id);
    expect(items.data).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'One.' }] },
    ]);
    await client.responses.delete(made.id);
    expect(await thrownBy(client.responses.retrieve(made.id))).toBeInstanceOf(NotFoundError);
  });

  for (const stream of [false, true]) {
    test(`are continued by id, ${stream ? 'streamed' : 'whole'}, without their instructions`, async () => {
      const turn = async (input: string, previous: string | null, instructions?: string) => {
        const body = {
          model: 'alpha',
          input,
          previous_response_id: previous,
          ...(instructions ? { instructions } : {}),
        };
        if (!stream) return await client.responses.create(body);
        return await client.responses.stream(body).finalResponse();
      };
      const first = await turn('One.', null, 'Be short.');
      const second = await turn('Two.', first.id);
      await turn('Three.', second.id);
      expect(lastMessages()).toEqual([
        { role: 'user', content: 'One.' },
        { role: 'assistant', content: first.output_text },
        { role: 'user', content: 'Two.' },
        { role: 'assistant', content: second.output_text },
        { role: 'user', content: 'Three.' },
      ]);
      const page = await client.responses.inputItems.list(second.id, { order: 'asc', limit: 2 });
      const texts = [];
      for await (const item of page) texts.push('content' in item ? asObject((item.content as unknown[])[0]).text : '');
      expect(texts).toEqual(['One.', first.output_text, 'Two.']);
    });
  }

  test('are visible to their account only, and only if they were to be stored', async () => {
    const made = await client.responses.create({ model: 'alpha', input: 'Mine.' });
    expect(await thrownBy(stranger.responses.retrieve(made.id))).toBeInstanceOf(NotFoundError);
    expect(await thrownBy(stranger.responses.delete(made.id))).toBeInstanceOf(NotFoundError);
    const unkept = await client.responses.create({ model: 'alpha', input: 'Forget it.', store: false });
    expect(await thrownBy(client.responses.retrieve(unkept.id))).toBeInstanceOf(NotFoundError);
    const previous = await thrownBy(
      client.responses.create({ model: 'alpha', input: 'And?', previous_response_id: unkept.id }),
    );
    expect(previous).toBeInstanceOf(BadRequestError);
    expect(previous).toMatchObject({ param: 'previous_response_id', code: 'previous_response_not_found' });
  });

  test('survive a restart, and are nowhere in plain text', async () => {
    const made = await client.responses.create({ model: 'alpha', input: 'A very particular sentence.' });
    await serving.stop();
    const files = await Array.fromAsync(new Bun.Glob('**/*').scan({ cwd: space.data, absolute: true }));
    for (const file of files) expect(await Bun.file(file).text()).not.toContain('A very particular sentence.');
    serving = await space.serve({ env: { SWITCHYARD_CONFIG: space.path('switchyard.yaml') } });
    client = new OpenAI({ baseURL: serving.baseUrl, apiKey: clientKey('main'), maxRetries: 0 });
    expect((await client.responses.retrieve(made.id)).output_text).toBe(ANSWER_TEXT);
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=x', 'limit'],
    ['order=up', 'order'],
    ['after=msg_none', 'after'],
  ])('an invalid page parameter (%s) is refused by name', async (query, param) => {
    const made = await client.responses.create({ model: 'alpha', input: 'One.' });
    const url = `${serving.baseUrl}/responses/${made.id}/input_items?${query}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${clientKey('main')}` } });
    expect(answer.status).toBe(400);
    expect(asObject(asObject(await answer.json()).error).param).toBe(param);
  });
});
