import type { ClientFormat } from '../readers/index.ts';
import { bodyOf, pathOf } from '../routing/client.ts';
import { asArray, asObject, type JsonObject, parseJson } from '../shared/json.ts';
import { post, type RawReply } from './raw-client.ts';

/* A client that pays: the part of the response that it received determines what it owes. */

export interface Purchase {
  readonly port: number;
  readonly key: string;
  readonly model: string;
  readonly format?: ClientFormat;
  readonly stream?: boolean;
  readonly maxTokens?: number;
  readonly prompt?: string;
  /** The client disconnects once this returns true for the body so far. */
  readonly leaveWhen?: (body: string) => boolean;
  readonly signal?: AbortSignal;
  /** Accepts `storage_unavailable` as the response instead of retrying. */
  readonly takesUnwritable?: boolean;
}

export interface Receipt extends RawReply {
  readonly requestId: string;
  /** Whether the client received the complete response: the whole body, or a stream's terminal event. */
  readonly isComplete: boolean;
  /** The envelope's `error`, or an empty object; for Gemini, its fields and those of its details. */
  readonly error: Readonly<Record<string, unknown>>;
}

/** The text that ends a complete stream. */
export const TERMINAL: Readonly<Record<ClientFormat, string>> = {
  'openai-chat': 'data: [DONE]',
  'openai-responses': '"type":"response.completed"',
  'anthropic-messages': '"type":"message_stop"',
  gemini: '"finishReason":"STOP"',
};

const BOUND: Readonly<Record<ClientFormat, (tokens: number) => object>> = {
  'openai-chat': (max_tokens) => ({ max_tokens }),
  'openai-responses': (max_output_tokens) => ({ max_output_tokens }),
  'anthropic-messages': (max_tokens) => ({ max_tokens }),
  gemini: (maxOutputTokens) => ({ generationConfig: { maxOutputTokens } }),
};

/** Longer than a busy machine delays a write. */
const ASKS_AGAIN_FOR_MS = 60_000;
const ASKS_AGAIN_AFTER_MS = 100;

/**
 * Sends a request, and retries it while the gateway asks for that: if a write takes a second, as on a busy machine, it
 * sends nothing to a provider.
 */
export async function buy(purchase: Purchase): Promise<Receipt> {
  const startedMs = performance.now();
  for (;;) {
    const receipt = await buyOnce(purchase);
    const isUnwritable = receipt.error.code === 'storage_unavailable' && purchase.takesUnwritable !== true;
    if (!isUnwritable || performance.now() - startedMs > ASKS_AGAIN_FOR_MS) return receipt;
    await Bun.sleep(ASKS_AGAIN_AFTER_MS);
  }
}

async function buyOnce(purchase: Purchase): Promise<Receipt> {
  const { port, key, model, format = 'openai-chat', stream = false, maxTokens, prompt = 'Hello', signal } = purchase;
  const asked = { model, format, stream, turns: [prompt] };
  const bound = maxTokens === undefined ? {} : BOUND[format](maxTokens);
  const reply = await post({
    ...{ port, path: pathOf(asked) },
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...(JSON.parse(bodyOf(asked)) as JsonObject), ...bound }),
    ...(purchase.leaveWhen === undefined ? {} : { leaveWhen: purchase.leaveWhen }),
    ...(signal === undefined ? {} : { signal }),
  });
  const isStream = reply.headers.get('content-type')?.includes('event-stream') === true;
  return {
    ...reply,
    requestId: reply.headers.get('x-request-id') ?? '',
    isComplete: reply.status === 200 && (isStream ? reply.body.includes(TERMINAL[format]) : reply.isWhole),
    error: isStream ? {} : errorOf(reply.body),
  };
}

function errorOf(body: string): Readonly<Record<string, unknown>> {
  const error = asObject(asObject(parseJson(body)).error);
  return { ...error, ...asObject(asObject(asArray(error.details)[0]).metadata) };
}

/** Sends `count` concurrent requests, which are made from their index. */
export function buyAtOnce(count: number, purchase: (index: number) => Purchase): Promise<Receipt[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => buy(purchase(index))));
}

/** Returns the numbers of outcomes: `{'200': 700, '402 insufficient_balance': 1300}`. */
export function tally(receipts: readonly Receipt[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status, isComplete, error } of receipts) {
    const name = status === 200 ? (isComplete ? '200' : '200 incomplete') : `${status} ${error.code ?? ''}`.trim();
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
