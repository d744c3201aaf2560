import { expect, test } from 'bun:test';
import { asOpenRouterAnswers } from './openrouter-answers.ts';
import { asStreamed } from './streamed-responses.ts';

const ERROR = { message: 'No.', type: 'invalid_request_error', code: 'model_not_found', param: 'model' };

async function answered(body: object, status: number): Promise<unknown> {
  const answer = await asOpenRouterAnswers(Response.json(body, { status, headers: { 'x-request-id': 'r' } }));
  expect([answer.status, answer.headers.get('x-request-id')]).toEqual([status, 'r']);
  return await answer.json();
}

test("OpenAI's errors get the envelope that the SDK reads", async () => {
  const { message, ...metadata } = ERROR;
  expect(await answered({ error: ERROR, request_id: 'r' }, 404)).toEqual({
    error: { code: 404, message, metadata },
    request_id: 'r',
  });
});

test.each<[string, object, number]>([
  ["Anthropic's errors", { type: 'error', error: { type: 'not_found_error', message: 'No.' } }, 404],
  ["Google's errors", { error: { code: 404, message: 'No.', status: 'NOT_FOUND' } }, 404],
  ['an error without a message', { error: 'no' }, 500],
  ['embeddings', { object: 'list', data: [] }, 200],
  ['a chat with a fingerprint', { choices: [], system_fingerprint: 'fp' }, 200],
])('%s stay as they are', async (_name, body, status) => {
  expect(await answered(body, status)).toEqual(body);
});

test('a chat gets the fingerprint that the SDK needs', async () => {
  expect(await answered({ id: 'c', choices: [{ index: 0 }] }, 200)).toEqual({
    ...{ id: 'c', choices: [{ index: 0 }] },
    system_fingerprint: null,
  });
});

test('streams and answers without JSON are the same responses', async () => {
  for (const response of [
    asStreamed(Response.json({ error: ERROR }, { status: 404 })),
    new Response('{"error":{}}', { status: 404, headers: { 'content-type': 'text/plain' } }),
    new Response(null, { status: 404 }),
  ])
    expect(await asOpenRouterAnswers(Promise.resolve(response))).toBe(response);
});
