import { type Bagged, NOWHERE } from '../../domain/concurrency/bag.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { Billable } from '../../domain/money/quantity.ts';
import { joinPieces } from '../../formats/shared/stream/relay-pieces.ts';
import type { UpstreamSecrets } from '../directory/upstream-secrets.ts';
import { responseMemoryFull } from '../ports/response-memory.ts';
import type { StreamResult } from './attempt.ts';
import { chargeFailure } from './end-of-call.ts';
import type { ResponseStream } from './lane.ts';
import type { Streaming } from './operation.ts';
import type { Outcome } from './outcome.ts';
import type { PingedStream } from './pings.ts';
import type { WatchedStream } from './response-memory.ts';
import { hasPlace, toldCost, withCost } from './told-cost.ts';

const utf8 = new TextEncoder();
const NOTHING = new Uint8Array(0);

/**
 * How much data the gateway reads after the upstream's end mark, and for how long. An upstream that closes the response
 * in that time leaves a connection that can be reused; one that does not is cut. A client that disconnects at the end
 * mark does not change this.
 */
const TAIL_BOUNDS = { limitBytes: 64 * 1024, withinMs: 500, outlivesClient: true };

/**
 * In a format without an end mark, an answer that has everything it needs is complete after this much silence. It is
 * longer than any pause after which a provider still adds something.
 */
const QUIET_END_MS = 15_000;

/** The stream that the transport sends to the client. */
export interface OutboundStream {
  /** Resolves to the next bytes for the client, or `null` when the stream has ended. Never empty, never rejects. */
  next(): Promise<Uint8Array | null>;
  /** Called when the client has disconnected. */
  clientLeft(): void;
  /** Whether the connection has to be cut at the end, because the answer is incomplete and nothing in it says so. */
  readonly isCut: boolean;
  /**
   * Ends the stream because a guard refuses its text. Returns the error frame; `null` if the format has none. Absent for streams that no guard
   * checks.
   */
  refuse?(failure: Failure): Uint8Array | null;
  /** Set by the transport: sends bytes to the client while `next` is pending. */
  onPing: ((bytes: Uint8Array) => void) | null;
}

/**
 * The stream of one answer, pulled by the transport: the next upstream piece is read only when the client has room for
 * it. A slow client thereby slows the upstream down (backpressure) instead of filling memory. The stream ends in
 * exactly one of four ways: complete, with an error frame in the client's format, cut off where the format has no error frame,
 * or because the client disconnected.
 */
export class ClientStream<S extends ResponseStream = ResponseStream>
  implements OutboundStream, WatchedStream, PingedStream, Bagged
{
  place = NOWHERE;
  reads = 0;
  isWanted = false;
  isCut = false;
  onPing: ((bytes: Uint8Array) => void) | null = null;
  private over = false;
  private hasKept = false;
  private pendingFirst = true;
  private hasStarted: boolean;
  /** The data that the upstream sends after its end mark. It matters only to a client that keeps reading. */
  private tail: Promise<Uint8Array | Failure> | null = null;
  /** The error frame of a stream that the gateway ended, until the client reads it. */
  private finalFrame: Uint8Array | null = null;
  private readonly charge: StreamCharge<S>;

  constructor(
    private readonly answer: StreamResult<S>,
    private readonly streaming: Streaming<S>,
    private readonly outcome: Outcome,
    /** The credentials of the upstream request, which are removed from every failure message. */
    private readonly secrets: Pick<UpstreamSecrets, 'cleaned'>,
    /** Keeps the whole answer for a later request. The end of the stream is sent after it resolves. */
    private readonly keep: ((answerJson: string) => Promise<void>) | null,
    /** Called when the stream has ended, with the failure or `null`. */
    private readonly onOver: (failure: Failure | null) => void,
  ) {
    this.charge = new StreamCharge(answer.relay, streaming, outcome);
    this.hasStarted = answer.relay.started;
  }

  next(): Promise<Uint8Array | null> {
    this.reads++;
    this.isWanted = true;
    if (!this.pendingFirst || this.over) return this.advance();
    this.pendingFirst = false;
    const { relay, first } = this.answer;
    if (relay.failure) return Promise.resolve(this.fail(relay.failure, first));
    if (relay.finished) return Promise.resolve(this.atEnd(first, false));
    if (first.length === 0) return this.advance();
    this.outcome.firstByteSent();
    return Promise.resolve(this.kept(first));
  }

  // Chained callbacks rather than an `async` loop: this runs for every chunk of every stream.
  private advance(): Promise<Uint8Array | null> {
    if (this.over) return this.takeTail();
    const { body, relay } = this.answer;
    return (relay.mayEnd ? body.read(QUIET_END_MS) : body.read()).then(this.onPiece);
  }

  private readonly onPiece = (read: Uint8Array | null | Failure): Uint8Array | null | Promise<Uint8Array | null> => {
    if (this.over) return this.takeFinalFrame();
    const { relay, quiet } = this.answer;
    const isQuietEnd = relay.mayEnd && read instanceof Failure && read.kind === 'idle_timeout';
    const piece = isQuietEnd ? null : read;
    if (piece instanceof Failure) return this.fail(piece, null);
    const out = piece === null ? relay.end() : relay.push(piece);
    if (!this.hasStarted && relay.started) this.started();
    if (relay.failure) return this.fail(relay.failure, out);
    if (relay.finished) return this.atEnd(out, piece === null);
    if (out.length > 0) quiet.said();
    else if (piece !== null) {
      const tooMuch = quiet.heard(piece.length);
      if (tooMuch !== null) return this.fail(tooMuch, null);
    }
    return this.pass(out);
  };

  private started(): void {
    this.hasStarted = true;
    this.answer.running?.answering();
  }

  private pass(out: Uint8Array): Promise<Uint8Array | null> | Uint8Array {
    if (out.length === 0) return this.advance();
    this.outcome.firstByteSent();
    return this.kept(out);
  }

  /** The bytes that end an answer wait until its charge is durable (docs/billing.md). */
  private atEnd(out: Uint8Array, isAll: boolean): Uint8Array | null | Promise<Uint8Array | null> {
    const charging = this.charge.beforeEnd();
    if (charging === null) return this.complete(this.withLast(out), isAll);
    return charging.then(
      () => this.complete(this.withLast(out), isAll),
      () => (this.over ? this.takeFinalFrame() : this.fail(chargeFailure(), null)),
    );
  }

  private withLast(out: Uint8Array): Uint8Array {
    const last = this.answer.relay.lastFrames?.() ?? NOTHING;
    const end = last.length === 0 ? out : joinPieces([out, last].filter(({ length }) => length > 0));
    const { outcome, answer } = this;
    return outcome.tellsCost ? withCostInStream(end, outcome, answer) : end;
  }

  private complete(out: Uint8Array, isAll: boolean): Uint8Array | null | Promise<Uint8Array | null> {
    if (this.over) return this.takeFinalFrame();
    if (out.length > 0) this.outcome.firstByteSent();
    const kept = this.kept(out);
    return kept instanceof Promise ? kept.then(() => this.completed(out, isAll)) : this.completed(out, isAll);
  }

  /** After the end mark the client has the whole answer. The call counts as answered even if the client then disconnects. */
  private completed(out: Uint8Array, isAll: boolean): Uint8Array | null | Promise<Uint8Array | null> {
    if (this.over) return this.takeFinalFrame();
    if (!isAll) this.tail = Promise.resolve(this.answer.body.readAll(TAIL_BOUNDS));
    this.finish(null);
    return out.length > 0 ? out : this.advance();
  }

  /** Holds the bytes that end an answer until the answer is kept, if a later request needs it. */
  private kept(out: Uint8Array): Uint8Array | Promise<Uint8Array> {
    this.isWanted = false;
    const { keep } = this;
    if (keep === null || this.hasKept) return out;
    const answerJson = this.answer.relay.answerJson ?? null;
    if (answerJson === null) return out;
    this.hasKept = true;
    return keep(answerJson).then(() => out);
  }

  /** A relay returns whole events only, so a ping between two pieces never splits an event. */
  ping(): void {
    if (!this.over) this.onPing?.(utf8.encode(this.streaming.ping ?? ''));
  }

  /** Cancels the upstream request at once because the client has disconnected. */
  clientLeft(): void {
    if (this.over) return;
    this.finish(new Failure('client_closed_request', { message: 'The client closed the connection.' }));
  }

  /** Ends the stream now, even if the client does not read. The usage so far is charged; a client that still reads gets the error. */
  cutOff(failure: Failure): void {
    if (!this.over) this.finalFrame = this.fail(failure, null);
  }

  /** Called when the client reads more slowly than the upstream sends, and there is no memory left to buffer the rest. */
  stalled(): void {
    this.cutOff(responseMemoryFull());
  }

  /** Called when the client has read nothing for so long that it is not expected to read again. */
  abandoned(): void {
    const message = 'The client has not read from the stream for too long.';
    this.cutOff(new Failure('timeout_error', { kind: 'client_stalled', side: 'client', retry: 'never', message }));
  }

  /** The frame is that of the format, not of the answer: that one may repeat the text that is refused. */
  refuse(failure: Failure): Uint8Array | null {
    if (this.over) this.outcome.failed(failure);
    else this.finish(failure);
    const text = this.streaming.encodeFailure(failure, { requestId: this.outcome.requestId });
    return text === null ? null : utf8.encode(text);
  }

  private takeTail(): Promise<Uint8Array | null> {
    const { tail } = this;
    if (tail === null) return Promise.resolve(this.takeFinalFrame());
    this.tail = null;
    return tail.then((rest) => {
      const out = rest instanceof Failure ? null : this.answer.relay.push(rest);
      return out !== null && out.length > 0 ? out : null;
    });
  }

  private takeFinalFrame(): Uint8Array | null {
    const frame = this.finalFrame;
    this.finalFrame = null;
    return frame;
  }

  private fail(said: Failure, before: Uint8Array | null): Uint8Array | null {
    if (said.code === 'client_closed_request') {
      this.clientLeft();
      return null;
    }
    const failure = this.secrets.cleaned(said);
    this.finish(failure);
    const own = this.answer.relay.encodeFailure?.(failure) ?? null;
    const text = own ?? this.streaming.encodeFailure(failure, { requestId: this.outcome.requestId });
    if (text === null) {
      this.isCut = true;
      return before && before.length > 0 ? before : null;
    }
    const frame = utf8.encode(text);
    return before && before.length > 0 ? Buffer.concat([before, frame]) : frame;
  }

  private finish(failure: Failure | null): void {
    this.over = true;
    if (failure !== null) this.outcome.failed(failure);
    if (this.tail === null) this.answer.body.cancel();
    this.outcome.over();
    this.onOver(failure);
    this.charge.whenOver(() => this.outcome.record());
  }
}

/** Returns the last bytes of a stream with its cost, if they are events; audio has no place for it. */
function withCostInStream(
  end: Uint8Array,
  outcome: Outcome,
  { routing, relay }: Pick<StreamResult, 'routing' | 'relay'>,
): Uint8Array {
  const told = toldCost(outcome);
  return told === null || !hasPlace(relay.contentType) ? end : withCost(end, routing, told, outcome.wantsUsageCost);
}

/** Charges the usage of a stream once: before its end is sent, or afterwards if the stream ends early. */
class StreamCharge<S extends ResponseStream> {
  private isBegun = false;
  private charging: Promise<void> | null = null;

  constructor(
    private readonly relay: S,
    private readonly streaming: Pick<Streaming<S>, 'isReported' | 'billableOf'>,
    private readonly outcome: Outcome,
  ) {}

  /** Returns the charge that the end of the answer has to wait for, so that no complete answer is sent uncharged; `null` for none. */
  beforeEnd(): Promise<void> | null {
    const { relay, streaming, outcome } = this;
    if (!streaming.isReported(relay) && !outcome.dependsOnUsage && relay.awaitsUsage !== true) return null;
    this.begin();
    return this.charging;
  }

  /** Calls `done` when the usage is known and charged, possibly synchronously. Never throws. */
  whenOver(done: () => void): void {
    this.begin();
    if (this.charging === null) done();
    else this.charging.catch((error) => this.outcome.notCharged(error)).finally(done);
  }

  private begin(): void {
    if (this.isBegun) return;
    this.isBegun = true;
    const { relay, outcome } = this;
    // Without any content there is no answer to charge.
    if (!relay.started && !relay.finished && relay.owes !== true) return;
    outcome.servedAs(relay.served);
    const billable = this.streaming.billableOf(relay);
    const charge = (known: Billable) => outcome.charge(known);
    this.charging = billable instanceof Promise ? billable.then(charge) : (charge(billable) ?? null);
  }
}
