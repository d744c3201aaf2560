import { Failure } from '../../domain/failure/failure.ts';
import { HELD_CHARACTERS } from '../../domain/guards/guard.ts';
import { Turns } from '../../formats/shared/json/large-json.ts';
import type { CallGuard } from '../guards/call-guard.ts';
import { CheckedEvents } from '../guards/checked-events.ts';
import { type EventFrames, JsonListFrames, ServerSentFrames } from '../guards/event-frames.ts';
import { TextGuard } from '../guards/guarded-text.ts';
import { judgedContent } from '../guards/judge-content.ts';
import type { OutboundStream } from './client-stream.ts';
import type { Outbound } from './responder.ts';

const utf8 = new TextDecoder();
const toUtf8 = new TextEncoder();

/**
 * Returns the response after the guards of its call have checked it; a stream checks itself while it is read. A whole response that they refuse is
 * replaced by what `refused` returns. Content that is no text, such as audio, is not checked.
 */
export function checkedResponse(
  outbound: Outbound,
  guard: CallGuard,
  refused: (failure: Failure) => Outbound,
): Outbound | Promise<Outbound> {
  const contentType = outbound.headers['content-type'] ?? '';
  if (guard.of('output').length > 0) {
    const isJson = /\bjson\b/i.test(contentType);
    if (outbound.kind === 'stream') {
      const frames = contentType.startsWith('text/event-stream')
        ? new ServerSentFrames()
        : isJson
          ? new JsonListFrames()
          : null;
      if (frames !== null) return { ...outbound, stream: new CheckedStream(outbound.stream, frames, guard) };
    } else if (outbound.status < 400 && (isJson || /^text\//i.test(contentType))) {
      return checkedWhole(outbound, guard, isJson).then(
        (checked) => {
          const answer = checked instanceof Failure ? refused(checked) : checked;
          guard.concluded();
          return answer;
        },
        (error: unknown) => {
          guard.concluded();
          throw error;
        },
      );
    }
  }
  guard.concluded();
  return outbound;
}

async function checkedWhole(
  outbound: Extract<Outbound, { kind: 'whole' }>,
  call: CallGuard,
  isJson: boolean,
): Promise<Outbound | Failure> {
  const { body } = outbound;
  const original = typeof body === 'string' ? body : utf8.decode(body);
  const collects = call.checksOf('output').length > 0;
  const guard = new TextGuard(call, new Turns(), { stage: 'output', collects });
  const apply = (one: TextGuard, text: string) => (isJson ? one.json(text) : one.text(text));
  const byRules = await apply(guard, original);
  if (byRules instanceof Failure) return byRules;
  const { texts, images } = guard;
  const guards = await judgedContent(call, { stage: 'output', texts, images });
  if (guards instanceof Failure) return guards;
  const masked =
    guards.length === 0 ? byRules : await apply(new TextGuard(call, new Turns(), { stage: 'output', guards }), byRules);
  if (masked instanceof Failure) return masked;
  return masked === original ? outbound : { ...outbound, body: masked };
}

/** Text that the client gets, and the failure that follows it; `null` for none. */
interface CheckedText {
  readonly text: string;
  readonly refusal: Failure | null;
}

/** A stream whose texts guards check in windows before the client gets them. */
class CheckedStream implements OutboundStream {
  private readonly events: CheckedEvents;
  private isOver = false;
  private isIncomplete = false;

  constructor(
    private readonly stream: OutboundStream,
    private readonly frames: EventFrames,
    private readonly guard: CallGuard,
  ) {
    const holds = guard.of('output').map(({ guard: { holdCharacters } }) => holdCharacters ?? HELD_CHARACTERS.usual);
    this.events = new CheckedEvents(guard, Math.max(...holds));
  }

  async next(): Promise<Uint8Array | null> {
    while (!this.isOver) {
      const piece = await this.stream.next();
      const { text, refusal } = piece === null ? await this.ended() : await this.taken(piece);
      if (refusal !== null) return this.refused(refusal, text);
      if (text !== '') return toUtf8.encode(text);
    }
    return null;
  }

  clientLeft(): void {
    this.isOver = true;
    this.stream.clientLeft();
    this.guard.concluded();
  }

  get isCut(): boolean {
    return this.isIncomplete || this.stream.isCut;
  }

  get onPing(): ((bytes: Uint8Array) => void) | null {
    return this.stream.onPing;
  }

  set onPing(send: ((bytes: Uint8Array) => void) | null) {
    this.stream.onPing = send;
  }

  private async taken(piece: Uint8Array): Promise<CheckedText> {
    let text = '';
    for (const event of this.frames.push(piece)) {
      const events = await this.events.event(event);
      if (events instanceof Failure) return { text, refusal: events };
      text += this.written(events);
    }
    return { text, refusal: null };
  }

  private async ended(): Promise<CheckedText> {
    const events = await this.events.end();
    if (events instanceof Failure) return { text: '', refusal: events };
    this.isOver = true;
    this.guard.concluded();
    return { text: this.written(events) + this.frames.rest(), refusal: null };
  }

  private written(events: readonly { before: string; json: string; after: string }[]): string {
    return events.map((event) => this.frames.written([event])).join('');
  }

  /** Ends the stream with the error of its format. The upstream's usage so far is charged. */
  private refused(failure: Failure, before: string): Uint8Array | null {
    this.isOver = true;
    const frame = this.stream.refuse?.(failure) ?? null;
    this.isIncomplete = frame === null;
    this.guard.concluded();
    if (before === '') return frame;
    const bytes = toUtf8.encode(before);
    return frame === null ? bytes : Buffer.concat([bytes, frame]);
  }
}
