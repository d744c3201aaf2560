import { Failure } from '../../../domain/failure/failure.ts';
import type { UpstreamBody } from '../../../engine/ports/upstream.ts';
import { EventSplitter } from '../../../formats/shared/stream/sse.ts';

/** An event of a live stream. Heartbeats have an id and no data. */
export interface ReceivedEvent {
  readonly event: string | null;
  readonly id: string | null;
  readonly data: string | null;
}

const FIELD = /^(event|id|data): ?(.*)$/;

/** Yields the events of a body, and a failure if it breaks off. */
export async function* readEvents(body: Pick<UpstreamBody, 'read'>): AsyncGenerator<ReceivedEvent | Failure> {
  const splitter = new EventSplitter();
  const decoder = new TextDecoder();
  for (;;) {
    const piece = await body.read();
    if (piece === null) return;
    if (piece instanceof Failure) {
      yield piece;
      return;
    }
    const events: ReceivedEvent[] = [];
    splitter.push(piece, (bytes) => events.push(parsed(decoder.decode(bytes))));
    yield* events;
  }
}

function parsed(text: string): ReceivedEvent {
  const event = { event: null as string | null, id: null as string | null, data: null as string | null };
  for (const line of text.split(/\r\n|\n|\r/)) {
    const [, name, value = ''] = FIELD.exec(line) ?? [];
    if (name === 'event' || name === 'id') event[name] = value;
    if (name === 'data') event.data = event.data === null ? value : `${event.data}\n${value}`;
  }
  return event;
}
