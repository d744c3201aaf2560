import { expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import type { ParsedRequest } from '../../formats/format.ts';
import { clientFormats } from '../../formats/index.ts';
import type { StreamAnswer } from './attempt.ts';
import { ClientStream } from './client-stream.ts';
import { Outcome, type RecordPorts } from './outcome.ts';

const idle = new Failure('timeout_error', { message: 'The upstream fell silent.', kind: 'idle_timeout' });
const nothing = () => {};
const ports = {
  clock: { nowMs: () => 0, monotonicMs: () => 0 },
  log: { append: nothing },
  metrics: { requestStarted: nothing, requestFinished: nothing },
  logger: { info: nothing, warn: nothing },
} as unknown as RecordPorts;

async function endedBy(finished: boolean): Promise<{ text: string; outcome: Outcome }> {
  const relay = {
    finished,
    started: true,
    failure: null,
    usage: null,
    push: (piece: Uint8Array) => piece,
    end: () => new Uint8Array(0),
  };
  const answer = {
    kind: 'stream',
    relay,
    first: new TextEncoder().encode('data: 1\n\n'),
    body: { read: async () => idle, cancel: nothing },
  };
  const outcome = new Outcome(ports, 'req_1', 'openai-chat');
  const format = clientFormats.get('openai-chat')!;
  const request = {} as ParsedRequest;
  const stream = new ClientStream(answer as unknown as StreamAnswer, format, request, outcome, null, nothing);
  let text = '';
  for (let piece = await stream.next(); piece !== null; piece = await stream.next())
    text += new TextDecoder().decode(piece);
  return { text, outcome };
}

test('a failure in the middle ends with an error frame', async () => {
  const { text, outcome } = await endedBy(false);
  expect(text).toContain('data: {"error":');
  expect(outcome.failure).toBe(idle);
});

test('an upstream that lingers after the end mark adds no error to a complete answer', async () => {
  const { text, outcome } = await endedBy(true);
  expect(text).toBe('data: 1\n\n');
  expect(outcome.failure).toBeNull();
});
