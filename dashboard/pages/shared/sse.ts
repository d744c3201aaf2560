/** Longer lines are no events of a model. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

const ENDED = { done: true, value: undefined } as const;

/**
 * The `data` of each server-sent event of a body, as it comes. A piece of the network may end anywhere: within a letter, between the two
 * characters of a line's end, within a line. Where the connection breaks, the events end, as they do where a body ends: whether that was
 * all of them, only their reader knows.
 */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const lines = new Lines();
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ENDED);
      for (const line of lines.take(done ? decoder.decode() : decoder.decode(value, { stream: true }))) {
        if (line !== '') {
          const text = dataIn(line);
          if (text !== null) data.push(text);
        } else if (data.length > 0) {
          yield data.join('\n');
          data = [];
        }
      }
      // An event without the empty line behind it was cut off: it is none.
      if (done) return;
    }
  } finally {
    // Who stops reading wants no more of it: the request ends at the gateway, too.
    await reader.cancel().catch(() => undefined);
  }
}

function dataIn(line: string): string | null {
  if (line === 'data') return '';
  if (!line.startsWith('data:')) return null;
  return line.slice(line[5] === ' ' ? 6 : 5);
}

/** Whole lines of a text that comes in pieces; they end with LF, CR or both. */
class Lines {
  private rest = '';
  /** The text before ended with CR: an LF now belongs to it. */
  private wasReturn = false;

  *take(piece: string): Generator<string> {
    const text = this.wasReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    if (piece !== '') this.wasReturn = piece.endsWith('\r');
    const lines = (this.rest + text).split(/\r\n|\r|\n/);
    this.rest = lines.pop() ?? '';
    if (this.rest.length > MOST_CHARACTERS) throw new Error('A line of the answer is too long.');
    yield* lines;
  }
}
