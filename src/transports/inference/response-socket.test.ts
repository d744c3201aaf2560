import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { pause } from '../../domain/testing/until.ts';
import type { Outbound } from '../../engine/call/responder.ts';
import { ConnectionMemories } from '../../engine/operations/text/connection-memory.ts';
import { BodyBudget } from './body-budget.ts';
import { ResponseSocket } from './response-socket.ts';

/** Sets up a socket in front of an exchange whose answers the test supplies. */
function bed({ lifetimeMs = 60_000, stallMs = 60_000, sendResult = 1 } = {}) {
  const sent: string[] = [];
  const closes: { code: number; reason: string }[] = [];
  const answers: ((outbound: Outbound) => void)[] = [];
  const budget = new BodyBudget(1_000_000, 10_000);
  const memories = new ConnectionMemories();
  const run = () => new Promise<Outbound>((resolve) => answers.push(resolve));
  const caller = {
    secret: 'sk-x',
    address: () => null,
    origin: () => 'http://gateway.example',
    header: () => null,
    session: null,
  };
  const state = { wasClosed: 0, buffered: 0, wasCut: false };
  const onClosed = () => {
    state.wasClosed++;
  };
  const options = {
    respond: run,
    memory: memories.open('acme'),
    maxBodyBytes: 10_000,
    bodyBudget: budget,
    accountId: 'acme',
    caller,
    lifetimeMs,
    stallMs,
    onClosed,
  };
  const socket = new ResponseSocket(options);
  const close = (code = 0, reason = '') => {
    closes.push({ code, reason });
    socket.closed();
  };
  const send = (text: string) => {
    sent.push(text);
    return sendResult;
  };
  const terminate = () => {
    state.wasCut = true;
    socket.closed();
  };
  const getBufferedAmount = () => state.buffered;
  socket.opened({ send, close, terminate, getBufferedAmount } as unknown as Parameters<ResponseSocket['opened']>[0]);
  return { socket, sent, closes, answers, budget, state };
}

const CREATE = '{"type":"response.create","model":"m","input":"Hi"}';
const REFUSED: Outbound = { kind: 'whole', status: 404, headers: {}, body: '{"error":{"code":"model_not_found"}}' };
const turns = pause;

// Time stands still unless a test advances it.
beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test('an old connection announces its end and closes after the running request', async () => {
  const { socket, sent, closes, answers, state } = bed({ lifetimeMs: 20 });
  socket.message(CREATE);
  jest.advanceTimersByTime(40);
  expect(closes).toEqual([]);
  socket.message(CREATE);
  expect(JSON.parse(sent[0] ?? '')).toMatchObject({
    ...{ type: 'error', status: 400 },
    error: { code: 'websocket_connection_limit_reached' },
  });
  answers[0]?.(REFUSED);
  await turns();
  expect(sent.map((text) => JSON.parse(text).error.code)).toEqual([
    'websocket_connection_limit_reached',
    'model_not_found',
    'websocket_connection_limit_reached',
  ]);
  expect(closes).toMatchObject([{ code: 1_000 }]);
  expect(Buffer.byteLength(closes[0]?.reason ?? '')).toBeLessThan(124);
  expect(state.wasClosed).toBe(1);
});

test('a waiting request holds the memory of its body until it is finished or the client leaves', async () => {
  const { socket, answers, budget } = bed();
  for (let count = 0; count < 3; count++) socket.message(CREATE);
  await turns();
  expect(budget.heldBytes).toBeGreaterThan(100);
  expect(answers).toHaveLength(1);
  socket.closed();
  answers[0]?.(REFUSED);
  await turns();
  expect(budget.heldBytes).toBe(0);
  expect(answers).toHaveLength(1);
});

test('a message that the server drops ends the connection', async () => {
  const { socket, closes, answers } = bed({ sendResult: 0 });
  socket.message(CREATE);
  await turns();
  answers[0]?.(REFUSED);
  await turns();
  expect(closes).toMatchObject([{ code: 1_011 }]);
});

test('a client that sends invalid data and reads nothing is cut off', () => {
  const { socket, sent, state } = bed({ sendResult: -1 });
  for (let count = 0; count < 100; count++) socket.message('x');
  expect(state.wasCut).toBe(false);
  for (let count = 0; count < 100; count++) socket.message('x');
  expect(state.wasCut).toBe(true);
  expect(sent.length).toBeLessThan(110);
});

test('a client that reads now and then is kept', () => {
  const { socket, state } = bed({ sendResult: -1 });
  for (let count = 0; count < 1_000; count++) {
    socket.message('x');
    if (count % 50 === 0) socket.drained();
  }
  expect(state.wasCut).toBe(false);
});

/** Returns an answer of events that are pulled one by one. */
function eventsOf(count: number) {
  const state = { asked: 0, left: false };
  const next = async () => (state.asked++ < count ? new TextEncoder().encode('data: {"type":"x"}\n\n') : null);
  const clientLeft = () => {
    state.left = true;
  };
  const outbound = { kind: 'stream', status: 200, headers: {}, stream: { next, clientLeft } } as unknown as Outbound;
  return { state, outbound };
}

test('more of a response is produced only when nearly all before it has been read', async () => {
  const { socket, answers, state } = bed({ sendResult: -1 });
  const { state: stream, outbound } = eventsOf(3);
  socket.message(CREATE);
  await turns();
  answers[0]?.(outbound);
  await turns();
  expect(stream.asked).toBe(1);
  state.buffered = 1_000_000;
  socket.drained();
  await turns();
  expect(stream.asked).toBe(1);
  state.buffered = 0;
  socket.drained();
  await turns();
  expect(stream.asked).toBe(2);
});

test('a client that reads nothing for long is cut off, whatever it sends', async () => {
  const { socket, answers, state, budget } = bed({ sendResult: -1, stallMs: 20 });
  const { state: stream, outbound } = eventsOf(3);
  socket.message(CREATE);
  await turns();
  answers[0]?.(outbound);
  await turns();
  jest.advanceTimersByTime(19);
  expect(state.wasCut).toBe(false);
  jest.advanceTimersByTime(1);
  await turns();
  expect(state.wasCut).toBe(true);
  expect(stream.left).toBe(true);
  expect(budget.heldBytes).toBe(0);
});
