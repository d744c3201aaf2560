import type { Capture, CaptureStore } from '../engine/ports/capture-store.ts';
import type { RequestRecord } from '../engine/ports/request-log.ts';
import { demoExchange } from './conversations.ts';

/** The account whose prompts and responses are captured. */
export const CAPTURED_ACCOUNT = 'halyard';
const MOST = 40;
const MOST_BYTES = 64 * 1024 * 1024;
const utf8 = new TextEncoder();

/** The captures of an account's last successful conversations. */
export class DemoCaptures {
  private readonly captures: Capture[] = [];

  from(record: RequestRecord): void {
    const capture = captureOf(record);
    if (capture === null) return;
    this.captures.push(capture);
    if (this.captures.length > MOST) this.captures.shift();
  }

  async write(store: Pick<CaptureStore, 'add'>): Promise<void> {
    await store.add(this.captures, MOST_BYTES);
  }
}

function captureOf(record: RequestRecord): Capture | null {
  const { requestId, accountId, atMs, format, modelId, stream, status, clientGone } = record;
  if (accountId !== CAPTURED_ACCOUNT || modelId === null || status !== 200 || clientGone) return null;
  const exchange = demoExchange(format, modelId, stream);
  if (exchange === null) return null;
  const body = (text: string, contentType: string) => {
    const bytes = utf8.encode(text);
    return { bytes, size: bytes.length, contentType, omitted: null };
  };
  return {
    ...{ requestId, accountId, atMs },
    request: body(exchange.request, 'application/json'),
    answer: body(exchange.answer, stream ? 'text/event-stream' : 'application/json'),
  };
}
