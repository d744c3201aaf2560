/** A longer line is not an event of a model. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

const ENDED = { done: true, value: undefined } as const;

/**
 * Yields the `data` of each server-sent event of a body as it arrives. Pieces may end anywhere: within a character, a line end, or a line.
 * A broken connection ends the events like the end of the body; only the reader knows whether they are complete.
 */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const events = new Events();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ENDED);
      yield* events.take(done ? decoder.decode() : decoder.decode(value, { stream: true }));
      // An event without a trailing empty line was truncated, so it is dropped.
      if (done) return;
    }
  } finally {
    // When the consumer stops, the request is cancelled, at the gateway, too.
    await reader.cancel().catch(() => undefined);
  }
}

/** Returns the `data` of each event of a text, which may be truncated: the last one may be incomplete. */
export function eventsIn(text: string): string[] {
  return [...new Events().take(`${text}\n\n`)];
}

/** Collects the events of a text that arrives in pieces. */
class Events {
  private readonly lines = new Lines();
  private data: string[] = [];

  *take(piece: string): Generator<string> {
    for (const line of this.lines.take(piece)) {
      if (line !== '') {
        const text = dataIn(line);
        if (text !== null) this.data.push(text);
      } else if (this.data.length > 0) {
        yield this.data.join('\n');
        this.data = [];
      }
    }
  }
}

function dataIn(line: string): string | null {
  if (line === 'data') return '';
  if (!line.startsWith('data:')) return null;
  return line.slice(line[5] === ' ' ? 6 : 5);
}

/** Splits a text that arrives in pieces into lines, which end with LF, CR or both. */
class Lines {
  private rest = '';
  /** Whether the previous text ended with CR, so that an LF now belongs to it. */
  private wasReturn = false;

  *take(piece: string): Generator<string> {
    const text = this.wasReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    if (piece !== '') this.wasReturn = piece.endsWith('\r');
    const lines = (this.rest + text).split(/\r\n|\r|\n/);
    this.rest = lines.pop() ?? '';
    if (this.rest.length > MOST_CHARACTERS) throw new Error('A line of the event stream is too long.');
    yield* lines;
  }
}
