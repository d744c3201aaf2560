/** The number of content chunks in a streamed answer, without the finish and usage chunks and `[DONE]`. */
export const contentChunkCount = 64;

/** Occurs once in every content chunk and once in a JSON answer, and nowhere else, so that counting it proves completeness. */
export const marker = '~';

/** The possible gaps between the chunks of paced streams, in milliseconds. */
export const pacedGapsMs = [10, 50, 200] as const;
export type PacedGapMs = (typeof pacedGapsMs)[number];

/**
 * Returns the model's name, by which the mock upstream decides how to stream, since nothing else passes every server unchanged. A bare peer
 * passes on the public name and the gateway the upstream's, so only the ending counts.
 */
export function modelName(owner: 'bench' | 'upstream', gapMs?: PacedGapMs): string {
  return gapMs === undefined ? `${owner}-model` : `${owner}-paced-${gapMs}`;
}

/** A model whose requests are not charged. */
export const freeModelName = 'bench-free';

export function pacedGapOf(model: string): PacedGapMs | undefined {
  return pacedGapsMs.find((gapMs) => model.endsWith(`-paced-${gapMs}`));
}

const upstreamModel = modelName('upstream');
const usage = { prompt_tokens: 256, completion_tokens: contentChunkCount, total_tokens: 256 + contentChunkCount };

function httpAnswer(contentType: string, body: string): Buffer {
  const head = `HTTP/1.1 200 OK\r\nContent-Type: ${contentType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return Buffer.from(head + body);
}

export function jsonAnswer(value: unknown): Buffer {
  return httpAnswer('application/json', JSON.stringify(value));
}

/** Returns a collector's answer to an export. */
export function exportAnswer(): Buffer {
  return httpAnswer('application/x-protobuf', '');
}

/** Returns a chat completion of about 1 KB. */
export function completionAnswer(): Buffer {
  const sentence = 'The quick brown fox jumps over the lazy dog. ';
  return jsonAnswer({
    id: 'chatcmpl-bench0000000000000000',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: upstreamModel,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: marker + sentence.repeat(14), refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage,
    system_fingerprint: 'fp_bench',
  });
}

export const streamHead = Buffer.from(
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n',
);

/** Returns the events of a streamed answer, each as one HTTP chunk, the last one with the end of the body. */
export function streamFrames(includeUsage: boolean): Buffer[] {
  const base = { id: 'chatcmpl-bench0000000000000000', object: 'chat.completion.chunk', created: 1_700_000_000 };
  const event = (choices: unknown[], extra: object = {}) =>
    `data: ${JSON.stringify({ ...base, model: upstreamModel, choices, ...extra })}\n\n`;
  const events: string[] = [];
  for (let index = 0; index < contentChunkCount; index += 1) {
    const delta = { ...(index === 0 ? { role: 'assistant' } : {}), content: `${marker}word${index} ` };
    events.push(event([{ index: 0, delta, logprobs: null, finish_reason: null }]));
  }
  events.push(event([{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }]));
  if (includeUsage) events.push(event([], { usage }));
  const frames = events.map((text) => Buffer.from(httpChunk(text)));
  frames.push(Buffer.from(`${httpChunk('data: [DONE]\n\n')}0\r\n\r\n`));
  return frames;
}

function httpChunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}
