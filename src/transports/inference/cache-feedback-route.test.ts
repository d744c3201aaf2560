import { expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import type { FeedbackInbound } from '../../engine/cache/feedback.ts';
import { BodyBudget } from './body-budget.ts';
import { cacheFeedbackRoute } from './cache-feedback-route.ts';
import { ClientAddresses } from './client-address.ts';
import type { Connections } from './route.ts';
import { Uploads } from './uploads.ts';

/** A feedback service that answers with the body and the client's credential. */
async function sent(init: RequestInit) {
  const bodyBudget = new BodyBudget(1_000_000, 100_000);
  const routes = cacheFeedbackRoute({
    ...{ newRequestId: () => 'req_1', addresses: new ClientAddresses([]), bodyBudget, uploads: new Uploads() },
    cacheFeedback: {
      async report({ secret, readBody }: FeedbackInbound) {
        const body = await readBody('acme');
        const result = body instanceof Failure ? body : JSON.stringify([secret, new TextDecoder().decode(body)]);
        return { result, headers: { 'x-ratelimit-limit': '10' } };
      },
    },
  });
  const connections = { timeout: () => undefined } as unknown as Connections;
  const request = new Request('http://gateway.example/v1/cache/feedback', init);
  const answer = await routes['/v1/cache/feedback']!(request, connections);
  expect(bodyBudget.heldBytes).toBe(0);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

const authorized = { authorization: 'Bearer sk-1', 'content-type': 'application/json' };

test('the key and body reach the use case, and its response has the limits and an id', async () => {
  const { status, headers, text } = await sent({ method: 'POST', headers: authorized, body: '{"a":1}' });
  expect([status, JSON.parse(text)]).toEqual([200, ['sk-1', '{"a":1}']]);
  expect(Object.fromEntries(headers)).toEqual({
    ...{ 'content-type': 'application/json', 'x-request-id': 'req_1', 'x-ratelimit-limit': '10' },
  });
});

test('a body of more than 64 KiB is refused with advice', async () => {
  const { status, text } = await sent({ method: 'POST', headers: authorized, body: 'x'.repeat(65_537) });
  expect(status).toBe(413);
  expect(JSON.parse(text).error).toMatchObject({ code: 'payload_too_large', hint: 'Shorten the description.' });
});

test('other methods are refused', async () => {
  const { status, headers } = await sent({ method: 'GET', headers: authorized });
  expect([status, headers.get('allow')]).toEqual([405, 'POST']);
});
