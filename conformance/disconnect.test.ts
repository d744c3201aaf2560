import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { rawChat } from './shared/raw-chat.ts';
import { recordingsMissing } from './shared/recordings.ts';
import { streamedChatSample, wholeChatSample } from './shared/sample-recordings.ts';
import { startTestBed, type TestBed } from './shared/test-bed.ts';

const missing = recordingsMissing();
if (missing !== undefined) test.skip(`a client that leaves (${missing})`, () => undefined);

const CANCEL_WITHIN_MS = 1_000;

function models(): Record<string, string> {
  const whole = wholeChatSample().id;
  const stream = streamedChatSample().id;
  return {
    'public-slow-stream': stream,
    'public-silent': `fault.hang.${whole}`,
    'public-silent-stream': `fault.hang.${stream}`,
    'public-silent-mid': `fault.hang-mid.${whole}`,
    'public-silent-mid-stream': `fault.hang-mid.${stream}`,
  };
}

describe.skipIf(missing !== undefined)('when the client leaves, the upstream request is cancelled within 1 s', () => {
  let bed: TestBed;

  beforeAll(async () => {
    bed = await startTestBed({ models: models(), replay: { split: 'event', gapMs: 100 } });
  }, 30_000);

  afterAll(async () => {
    await bed?.stop();
  });

  async function until(what: string, holds: () => Promise<boolean>, withinMs: number): Promise<void> {
    const deadline = performance.now() + withinMs;
    while (!(await holds())) {
      if (performance.now() > deadline) throw new Error(`after ${withinMs} ms: ${what}`);
      await Bun.sleep(20);
    }
  }

  /** Runs `leave` once the upstream is at work, and waits for the upstream to see its request go away. */
  async function expectCancelled(before: { aborted: number; served: number }, leave: () => void): Promise<void> {
    leave();
    const cancelled = async () => (await bed.replay.stats()).aborted === before.aborted + 1;
    await until('the upstream request is still open', cancelled, CANCEL_WITHIN_MS);
    expect((await bed.replay.stats()).served).toBe(before.served);
  }

  const upstreamIsBusy = async () => (await bed.replay.stats()).open === 1;

  for (const model of ['public-slow-stream', 'public-silent-mid-stream']) {
    test(`in the middle of a stream (${model})`, async () => {
      const before = await bed.replay.stats();
      const client = new AbortController();
      const response = await rawChat(bed.gateway, { model, stream: true, signal: client.signal });
      const first = await response.body?.getReader().read();
      expect(first?.value?.length).toBeGreaterThan(0);
      await expectCancelled(before, () => client.abort());
    }, 10_000);
  }

  for (const [model, stream] of [
    ['public-silent', false],
    ['public-silent-stream', true],
    ['public-silent-mid', false],
  ] as const) {
    test(`before the first byte (${model})`, async () => {
      const before = await bed.replay.stats();
      const client = new AbortController();
      const answer = rawChat(bed.gateway, { model, stream, signal: client.signal }).catch(() => undefined);
      await until('the request has not reached the upstream', upstreamIsBusy, 5_000);
      await expectCancelled(before, () => client.abort());
      await answer;
    }, 10_000);
  }

  test('by cutting its connection without a word', async () => {
    const before = await bed.replay.stats();
    const { hostname, port } = new URL(bed.gateway.origin);
    const body = JSON.stringify({
      model: 'public-slow-stream',
      stream: true,
      messages: [{ role: 'user', content: 'Hello' }],
    });
    const socket = connect(Number(port), hostname);
    const answered = new Promise<void>((resolve) => socket.once('data', () => resolve()));
    const head = [
      'POST /v1/chat/completions HTTP/1.1',
      `host: ${hostname}:${port}`,
      `authorization: Bearer ${bed.gateway.apiKey}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    await answered;
    await expectCancelled(before, () => socket.resetAndDestroy());
  }, 10_000);

  test('and the gateway still serves the next client', async () => {
    const response = await rawChat(bed.gateway, { model: 'public-slow-stream', stream: true });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('data: [DONE]');
  }, 20_000);
});
