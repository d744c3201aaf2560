import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { accountWith, channelTo, clientKey, keyNamed, startUpstream } from './first-light/upstream.ts';
import { asObject, parseJson } from './shared/json.ts';
import type { Serving } from './shared/serving.ts';
import { Workspace } from './shared/workspace.ts';

/* Anthropic's threads, and Anthropic's errors as its SDK reads them. */

const MESSAGE = {
  ...{ id: 'msg_kept', type: 'message', role: 'assistant', model: 'claude', content: [{ type: 'text', text: 'Hi.' }] },
  ...{ stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: 3, output_tokens: 2 } },
};
const refused = (status: number, error: object) =>
  Response.json({ type: 'error', error, request_id: 'req_of_the_upstream' }, { status });

/** A provider that stores one thread, and fails depending on the model's name. */
const native = startUpstream(({ model, text }) => {
  const { thread } = asObject(parseJson(text));
  if (model === 'overloaded') return refused(529, { type: 'overloaded_error', message: 'Overloaded' });
  if (model === 'unsupported') {
    const details = { error_code: 'thread_unsupported_request', unsupported: ['thinking'] };
    return refused(400, { type: 'invalid_request_error', message: 'No thinking on threads.', details });
  }
  const isLost = model === 'forgetful' && asObject(thread).type === 'continue';
  const details = { error_code: 'thread_not_found' };
  return isLost ? refused(404, { type: 'not_found_error', message: 'Lost.', details }) : Response.json(MESSAGE);
});
const chat = startUpstream();
const origin = () => serving.origin;

let space: Workspace;
let serving: Serving;

beforeAll(async () => {
  space = await Workspace.create();
  const models = ['claude', 'forgetful', 'overloaded', 'unsupported'];
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [
      channelTo(native, { id: 'native', provider: 'anthropic', models }),
      channelTo(chat, { id: 'chat', models: ['translated'] }),
    ],
    accounts: [accountWith('acme', [keyNamed('acme')]), accountWith('other', [keyNamed('other')])],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
}, 600_000);

afterAll(async () => {
  await space?.remove();
  await Promise.all([native.stop(), chat.stop()]);
});

type Thread = { type: 'create' } | { type: 'continue'; previous_message_id: string };

async function ask(model: string, thread: Thread | null, extra: object = {}, account = 'acme') {
  const client = new Anthropic({ apiKey: clientKey(account), baseURL: origin(), maxRetries: 0 });
  const messages = [{ role: 'user', content: 'Hello' }];
  const body = { model, max_tokens: 99, messages, ...(thread === null ? {} : { thread }), ...extra };
  return client.messages.create(body as never).then(
    (message) => ({ message, error: null }),
    (error: InstanceType<typeof Anthropic.APIError>) => ({ message: null, error }),
  );
}

const CONTINUE: Thread = { type: 'continue', previous_message_id: 'msg_kept' };

describe('a thread', () => {
  test('is refused with an error for the SDK if it would be translated', async () => {
    for (const extra of [{}, { stream: true }]) {
      const { error } = await ask('translated', { type: 'create' }, extra);
      expect(error).toMatchObject({
        ...{ status: 400, type: 'invalid_request_error', errorCode: 'thread_unsupported_request' },
        error: { error: { param: 'thread', details: { unsupported: ['thread'] } } },
      });
    }
    expect(chat.requests).toHaveLength(0);
  });

  test('goes to the channel that stores it, and only for the account that owns it', async () => {
    expect((await ask('claude', { type: 'create' })).error).toBeNull();
    expect((await ask('claude', CONTINUE)).error).toBeNull();
    expect(asObject(parseJson(native.requests.at(-1)!.text)).thread).toEqual(CONTINUE);
    const before = native.requests.length;
    const { error } = await ask('claude', CONTINUE, {}, 'other');
    expect(error).toMatchObject({ status: 404, type: 'not_found_error', errorCode: 'thread_not_found' });
    expect(native.requests).toHaveLength(before);
  });

  test('that its upstream has lost is a client error and no failure of the channel', async () => {
    for (let turn = 0; turn < 8; turn++) {
      const { error } = await ask('forgetful', CONTINUE);
      expect(error).toMatchObject({ status: 404, type: 'not_found_error', errorCode: 'thread_not_found' });
    }
    expect((await ask('forgetful', null)).error).toBeNull();
  });
});

describe('an error', () => {
  test('keeps the upstream’s details and has the gateway’s request id', async () => {
    const { error } = await ask('unsupported', { type: 'create' });
    expect(error).toMatchObject({ status: 400, errorCode: 'thread_unsupported_request' });
    const body = asObject(error?.error);
    expect(asObject(asObject(body.error).details).unsupported).toEqual(['thinking']);
    expect(body.request_id).toBe(error?.headers?.get('request-id'));
    expect(String(body.request_id)).toStartWith('req_');
    expect(error?.requestID).toBe(String(body.request_id));
  });

  test('of an overload stays one', async () => {
    const { error } = await ask('overloaded', null);
    expect(error).toMatchObject({ status: 529, type: 'overloaded_error' });
  });

  test('about the key has the id, too', async () => {
    const response = await fetch(`${origin()}/v1/messages`, { method: 'POST', headers: { 'x-api-key': 'sk-none' } });
    const body = asObject(parseJson(await response.text()));
    expect(body.request_id).toBe(response.headers.get('request-id'));
  });
});
