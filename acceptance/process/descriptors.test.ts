import { afterAll, beforeAll, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { LAUNCHER } from '../../acceptance/shared/process-workspace.ts';
import { accountWith, channelTo, clientKey, keyNamed, startUpstream } from '../../conformance/first-light/upstream.ts';
import { chatBody } from '../../conformance/shared/answer.ts';

import { until } from '../../conformance/shared/until.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';

/* A gateway with few file descriptors, and more clients than that. */

const LIMIT = 256;
const IDLE = 300;
const KEY = clientKey('main');
const upstream = startUpstream();
let space: ProcessWorkspace;
let serving: ServingProcess;

beforeAll(async () => {
  space = await ProcessWorkspace.create();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [channelTo(upstream, { models: ['quick'] })],
    accounts: [accountWith('acme', [keyNamed('main')])],
  });
  const program = ['bash', '-c', `ulimit -n ${LIMIT}; exec "$@"`, 'limited', ...LAUNCHER];
  serving = await space.serve({ env: { SWITCHYARD_CONFIG }, program });
});
afterAll(async () => {
  await space.remove();
  await upstream.stop();
});

/** A connection, what came over it, and whether it is closed. */
function client() {
  const socket: Socket = connect(serving.port, '127.0.0.1');
  const state = { text: '', isClosed: false, socket };
  socket.on('data', (piece: Buffer) => {
    state.text += piece.toString();
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    state.isClosed = true;
  });
  return state;
}

const request = () => {
  const body = JSON.stringify(chatBody('quick'));
  return (
    `POST /v1/chat/completions HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${KEY}\r\n` +
    `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  );
};

test(`${IDLE} silent connections: a request is refused cleanly or answered, and the gateway lives on`, async () => {
  const early = client();
  await Bun.sleep(100);
  const idle = Array.from({ length: IDLE }, client);
  await Bun.sleep(500);
  early.socket.write(request());
  await until('an answer', () => /\}\s*$/.test(early.text), 5_000);
  expect(early.text).toMatch(/^HTTP\/1\.1 (?:200|500|502|503) /);
  expect(early.text).toMatch(/"object":"chat.completion"|no connection left/);
  for (const { socket } of idle) socket.destroy();
  await until('requests are answered again', async () => (await serving.chat(KEY, chatBody('quick'))).status === 200);
  expect(serving.exitCode).toBeNull();
  expect(serving.stderr).toBe('');
  early.socket.destroy();
}, 60_000);

test('connections that lie idle after an answer make room', async () => {
  const idle: ReturnType<typeof client>[] = [];
  for (let index = 0; index < IDLE; index++) {
    const one = client();
    one.socket.write('GET /healthz HTTP/1.1\r\nhost: gateway\r\n\r\n');
    idle.push(one);
    if (index % 50 === 49) await Bun.sleep(700);
  }
  await until('all were answered', () => idle.every(({ text }) => text.startsWith('HTTP/1.1 200')), 10_000);
  expect(idle.filter(({ isClosed }) => isClosed).length).toBeGreaterThan(IDLE - LIMIT);
  expect((await serving.chat(KEY, chatBody('quick'))).status).toBe(200);
  expect(serving.stdout).toContain('file descriptors run short');
  for (const { socket } of idle) socket.destroy();
}, 60_000);
