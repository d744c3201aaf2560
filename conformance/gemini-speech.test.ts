import { expect, test } from 'bun:test';
import { startGatewayWith } from './shared/gateway.ts';

/* Speech of Gemini is streamed to the client while the model generates it. */

const HALF = new Uint8Array(4_800).fill(7);
const MODEL = 'gemini-3.8-flash-tts';

function event(finishReason?: string): Uint8Array {
  const inlineData = { mimeType: 'audio/L16;codec=pcm;rate=24000', data: HALF.toBase64() };
  const candidate = { content: { role: 'model', parts: [{ inlineData }] }, ...(finishReason && { finishReason }) };
  const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 25, totalTokenCount: 28 };
  return new TextEncoder().encode(`data: ${JSON.stringify({ candidates: [candidate], usageMetadata })}\r\n\r\n`);
}

test.each(['google', 'vertex'])('audio of %s is streamed as it arrives', async (provider) => {
  const { promise: heard, resolve: hear } = Promise.withResolvers<void>();
  const asked: string[] = [];
  const upstream = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      asked.push(new URL(request.url).pathname.replace(/.*:/, ''));
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue(event());
          // The rest is sent only after the client has received the beginning.
          await heard;
          controller.enqueue(event('STOP'));
          controller.close();
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  const base_url = `http://127.0.0.1:${upstream.port}`;
  const channel = { id: 'speech', name: 'Speech', provider, base_url, api_key: 'k', models: { [MODEL]: MODEL } };
  const gateway = await startGatewayWith([channel]);
  try {
    const response = await fetch(`${gateway.baseUrl}/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: MODEL, input: 'Hello', voice: 'alloy', response_format: 'pcm' }),
    });
    expect([response.status, asked]).toEqual([200, ['streamGenerateContent']]);
    let length = 0;
    for await (const piece of response.body ?? []) {
      length += piece.length;
      hear();
    }
    expect(length).toBe(2 * HALF.length);
  } finally {
    await gateway.stop();
    await upstream.stop(true);
  }
});
