import { describe, expect, test } from 'bun:test';
import { AccessLog } from './access-log.ts';
import type { Connections } from './route.ts';
import { asStreamed } from './streamed-responses.ts';

const CONNECTIONS = {} as Connections; // Not used by the handlers.
const AT_MS = Date.UTC(2026, 10, 29, 12, 0, 5);

async function lineOf(answer: Response, request: Request = new Request('http://gateway/v1/models')) {
  const lines: string[] = [];
  const log = new AccessLog({
    write: (line) => void lines.push(line),
    nowMs: () => AT_MS,
    addresses: { of: () => '203.0.113.7' },
  });
  const response = await log.around(() => answer)(request, CONNECTIONS);
  return { response, lines };
}

test('a line is in the combined format', async () => {
  const headers = { 'user-agent': 'curl/8.1', referer: 'https://app.example/page?token=abc#x' };
  const request = new Request('http://gateway/v1/models?key=sk-secret', { headers });
  const { response, lines } = await lineOf(Response.json({ ok: true }), request);
  expect(lines).toEqual([
    '203.0.113.7 - - [29/Nov/2026:12:00:05 +0000] "GET /v1/models HTTP/1.1" 200 11 "https://app.example/page" "curl/8.1"\n',
  ]);
  expect(await response.json()).toEqual({ ok: true });
});

describe('the size', () => {
  test('of a stream is counted as it is sent, and the line follows its end', async () => {
    const pieces = ['data: 1\n\n', 'data: 2\n\n'];
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(new TextEncoder().encode(piece));
      },
    });
    const { response, lines } = await lineOf(asStreamed(new Response(stream, { headers: { 'x-a': 'b' } })));
    expect(lines).toEqual([]);
    expect(await response.text()).toBe('data: 1\n\ndata: 2\n\n');
    expect([response.headers.get('x-a'), lines.length]).toEqual(['b', 1]);
    expect(lines[0]).toContain('" 200 18 "');
  });

  test('of a stream that the client leaves is what was sent until then', async () => {
    let isCancelled = false;
    const stream = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => controller.enqueue(new Uint8Array(5)),
        cancel: () => {
          isCancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    const { response, lines } = await lineOf(asStreamed(new Response(stream)));
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(isCancelled).toBe(true);
    expect(lines[0]).toContain('" 200 5 "');
  });

  test('is a hyphen for an empty body or an unknown size', async () => {
    expect((await lineOf(new Response(null, { status: 204 }))).lines[0]).toContain('" 204 - "-" "');
    expect((await lineOf(new Response('text'))).lines[0]).toContain('" 200 - "');
    expect((await lineOf(new Response('text', { headers: { 'content-length': '4' } }))).lines[0]).toContain(
      '" 200 4 "',
    );
  });
});

test('the handshake of a WebSocket has its status, although the handler cannot answer it', async () => {
  const request = new Request('http://gateway/v1/realtime', { headers: { upgrade: 'websocket' } });
  const { lines } = await lineOf(new Response(null, { status: 204 }), request);
  expect(lines[0]).toContain('"GET /v1/realtime HTTP/1.1" 101 - ');
});

test('no client can forge a line or a field', async () => {
  const headers = { 'user-agent': 'a" 200 1 "b\\', referer: 'x"y' };
  const request = new Request('http://gateway/v1/%22%0a/é"x', { headers });
  const { lines } = await lineOf(new Response(null, { status: 404 }), request);
  expect(lines).toHaveLength(1);
  expect(lines[0]?.match(/"/g)).toHaveLength(6);
  expect(lines[0]?.match(/\n/g)).toHaveLength(1);
});
