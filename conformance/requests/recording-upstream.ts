import { TARGET_FORMATS, type TargetFormat } from './targets.ts';

export interface ReceivedRequest {
  readonly method: string;
  /** Path and query, relative to the target's own path. */
  readonly url: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/**
 * An upstream of every format. It stores what it receives, and sends a short whole response even if a stream
 * is requested.
 */
export interface RecordingUpstream {
  readonly origin: string;
  /** Returns the requests to the target since the last call. */
  readonly take: (target: TargetFormat) => readonly ReceivedRequest[];
  readonly stop: () => Promise<void>;
}

const ANSWERS: Readonly<Record<TargetFormat, unknown>> = {
  'openai-chat': {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'upstream',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Good.', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  },
  'openai-responses': {
    id: 'resp_1',
    object: 'response',
    created_at: 1_700_000_000,
    status: 'completed',
    model: 'upstream',
    output: [
      {
        id: 'msg_1',
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Good.', annotations: [] }],
      },
    ],
    usage: {
      input_tokens: 3,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 2,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 5,
    },
  },
  'anthropic-messages': {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'upstream',
    content: [{ type: 'text', text: 'Good.' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 2 },
  },
  gemini: {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Good.' }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
    modelVersion: 'upstream',
    responseId: 'answer-1',
  },
  'bedrock-converse': {
    output: { message: { role: 'assistant', content: [{ text: 'Good.' }] } },
    stopReason: 'end_turn',
    usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
    metrics: { latencyMs: 1 },
  },
  'cohere-chat': {
    id: 'answer-1',
    message: { role: 'assistant', content: [{ type: 'text', text: 'Good.' }] },
    finish_reason: 'COMPLETE',
    usage: { tokens: { input_tokens: 3, output_tokens: 2 } },
  },
};

export function startRecordingUpstream(): RecordingUpstream {
  const received = new Map<TargetFormat, ReceivedRequest[]>();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const target = TARGET_FORMATS.find((format) => pathname.startsWith(`/${format}/`));
      if (target === undefined) return new Response(null, { status: 404 });
      const { method, headers } = request;
      const url = pathname.slice(target.length + 1) + search;
      const body = new Uint8Array(await request.arrayBuffer());
      received.set(target, [...(received.get(target) ?? []), { method, url, headers, body }]);
      return Response.json(ANSWERS[target]);
    },
  });
  return {
    origin: `http://127.0.0.1:${server.port}`,
    take(target) {
      const taken = received.get(target) ?? [];
      received.delete(target);
      return taken;
    },
    stop: () => server.stop(true),
  };
}
