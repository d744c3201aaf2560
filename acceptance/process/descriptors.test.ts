import { afterAll, beforeAll, expect, test } from 'bun:test';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { accountWith, channelTo, clientKey, keyNamed, startUpstream } from '../../conformance/first-light/upstream.ts';
import { chatBody } from '../../conformance/shared/answer.ts';
import { until } from '../../conformance/shared/until.ts';
import { PROJECT } from '../../conformance/shared/workspace.ts';
import { GATEWAY_PROGRAM, ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';

/* A gateway with fewer file descriptors than clients. */

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
  const program = ['bash', '-c', `ulimit -n ${LIMIT}; exec "$@"`, 'limited', ...GATEWAY_PROGRAM];
  serving = await space.serve({ env: { SWITCHYARD_CONFIG, BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' }, program });
});
afterAll(async () => {
  await space.remove();
  await upstream.stop();
});

/** Opens a connection and records what it received and whether it is closed. */
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

const managementRequest = 'GET /v1/management/keys HTTP/1.1\r\nhost: gateway\r\n\r\n';

/** The gateway may close the idle connection that `fetch` has kept just when a request is sent on it, which then fails. */
const isServed = async () => (await serving.chat(KEY, chatBody('quick')).catch(() => null))?.status === 200;

const descriptorsInUse = async () => (await readdir(`/proc/${serving.pid}/fd`)).length;

test(`with ${IDLE} silent connections, a request is served or refused cleanly, and the gateway survives`, async () => {
  const [early, managing] = [client(), client()];
  await Promise.all([once(early.socket, 'connect'), once(managing.socket, 'connect')]);
  // Connections are accepted in order, so this response proves that the first was accepted.
  expect((await serving.chat(KEY, chatBody('quick'))).status).toBe(200);
  const idle = Array.from({ length: IDLE }, client);
  await until('few descriptors are left', async () => (await descriptorsInUse()) >= LIMIT - 2);
  early.socket.write(request());
  await until('an answer', () => /\}\s*$/.test(early.text));
  expect(early.text).toMatch(/^HTTP\/1\.1 (?:200|500|502|503) /);
  expect(early.text).toMatch(/"object":"chat.completion"|no free sockets/);
  // The first request for the management API loads it, which must not be tried now: what cannot be read once is never read again.
  managing.socket.write(managementRequest);
  await until('an answer', () => /\}\s*$/.test(managing.text));
  expect(managing.text).toStartWith('HTTP/1.1 500 ');
  for (const { socket } of idle) socket.destroy();
  await until('requests are answered again', isServed);
  const managed = client();
  managed.socket.write(managementRequest);
  await until('the management API answers', () => managed.text.startsWith('HTTP/1.1 401 '));
  expect(serving.exitCode).toBeNull();
  expect(serving.stderr).toBe('');
  for (const { socket } of [early, managing, managed]) socket.destroy();
});

test('connections that are idle after a response make room for others', async () => {
  const idle: ReturnType<typeof client>[] = [];
  const isAnswered = ({ text }: ReturnType<typeof client>) => text.startsWith('HTTP/1.1 200');
  while (idle.length < IDLE) {
    const next = Array.from({ length: 50 }, client);
    for (const { socket } of next) socket.write('GET /healthz HTTP/1.1\r\nhost: gateway\r\n\r\n');
    await until('all requests are answered', () => next.every(isAnswered));
    idle.push(...next);
  }
  await until('enough idle connections are closed', () => {
    return idle.filter(({ isClosed }) => isClosed).length > IDLE - LIMIT;
  });
  await until('a request is answered', isServed);
  await until('the log reports it', () => serving.stdout.includes('running out of file descriptors'));
  for (const { socket } of idle) socket.destroy();
});

test('free descriptors are counted, and none stays open', async () => {
  const program = `
    import { closeSync, openSync } from 'node:fs';
    import { areDescriptorsFree } from '${path.join(PROJECT, 'src', 'main', 'descriptor-watch.ts')}';
    const opened = [];
    try { for (;;) opened.push(openSync('/dev/null', 'r')); } catch {}
    for (const descriptor of opened.slice(-8)) closeSync(descriptor);
    console.log([9, 8, 9, 8].map(areDescriptorsFree).join());
  `;
  const child = Bun.spawn(['bash', '-c', `ulimit -n ${LIMIT}; exec "$@"`, 'limited', process.execPath, '-e', program]);
  expect(await child.stdout.text()).toBe('false,true,false,true\n');
});
