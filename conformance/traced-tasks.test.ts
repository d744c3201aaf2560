import { afterAll, beforeAll, expect, test } from 'bun:test';
import { FakeCollector } from '../src/telemetry/testing/fake-collector.ts';
import { accountWith, clientKey, keyNamed } from './first-light/upstream.ts';
import { asObject } from './shared/json.ts';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';

/* The traces of work that outlives its request; acceptance/telemetry has the same with a real collector. */

const KEY = clientKey('one');
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;

let space: Workspace;
let collector: FakeCollector;
let serving: Serving;

beforeAll(async () => {
  space = await Workspace.create();
  collector = new FakeCollector();
  const models = { 'sandbox-video': 'sandbox-video', 'sandbox-chat': 'sandbox-chat' };
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [{ id: 'sandbox', provider: 'sandbox', models }],
    tasks: { poll_interval_ms: 10 },
    telemetry: {
      otlp: { endpoint: collector.url },
      traces: { enabled: true, delay_ms: 10, sample_ratio: 0, follow_client: true },
    },
    accounts: [accountWith('one', [keyNamed('one')])],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG }, sleep: () => Promise.resolve() });
});
afterAll(async () => {
  await space?.remove();
  await collector?.stop();
});

const spans = () => collector.exports.flatMap((one) => one.spans);

async function makeVideo(headers: Readonly<Record<string, string>>): Promise<string> {
  const authorization = `Bearer ${KEY}`;
  const answer = await fetch(`${serving.baseUrl}/videos/generations`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'sandbox-video', prompt: 'a fox' }),
  });
  const { id } = asObject(await answer.json());
  await until('the video is made', async () => {
    const task = await fetch(`${serving.baseUrl}/tasks/${id}`, { headers: { authorization } });
    return asObject(await task.json()).status === 'completed';
  });
  return String(id);
}

test('a sampled trace of a client has the request, the task and its polls; without one, nothing is exported', async () => {
  const unsampled = await makeVideo({});
  const id = await makeVideo({ traceparent: TRACEPARENT });
  await until('the task is exported', () => spans().some(({ name }) => name === 'task video'));
  const [life] = spans().filter(({ name }) => name === 'task video');
  const server = spans().find(({ name }) => name === 'POST /v1/videos/generations');
  expect(life).toMatchObject({ traceId: TRACE_ID, parentId: server?.spanId, attributes: { 'switchyard.task.id': id } });
  const polls = spans().filter(({ name }) => name === 'poll task');
  expect(polls.length).toBeGreaterThan(0);
  for (const { parentId, links } of polls) {
    expect({ parentId, links }).toEqual({
      parentId: life?.spanId ?? '',
      links: [{ traceId: TRACE_ID, spanId: server?.spanId ?? '' }],
    });
  }
  expect(spans().every(({ traceId }) => traceId === TRACE_ID)).toBe(true);
  expect(JSON.stringify(spans())).not.toContain(unsampled);
});

test('a WebSocket and the requests on it are in the trace of its client, and refer to each other', async () => {
  const init = { headers: { authorization: `Bearer ${KEY}`, traceparent: TRACEPARENT } };
  const socket = new WebSocket(`${serving.origin.replace('http', 'ws')}/v1/responses`, init as unknown as string[]);
  const received: string[] = [];
  socket.onmessage = ({ data }) => void received.push(String(data));
  await until('it is open', () => socket.readyState === WebSocket.OPEN);
  socket.send(JSON.stringify({ type: 'response.create', model: 'sandbox-chat', input: 'Hi' }));
  await until('the response has ended', () => received.some((text) => text.includes('"response.completed"')));
  socket.close();
  await until('the session is exported', () => spans().some(({ name }) => name === 'GET /v1/responses'));
  const session = spans().find(({ name }) => name === 'GET /v1/responses');
  expect(session).toMatchObject({ traceId: TRACE_ID, attributes: { 'switchyard.session.turns': 1 } });
  const turn = spans().find(({ name }) => name === 'message openai-responses');
  expect(turn).toMatchObject({ traceId: TRACE_ID, links: [{ spanId: session?.spanId }] });
});
