import { Failure } from '../../domain/failure/failure.ts';
import type { ClientFormat, ParsedRequest } from '../../formats/format.ts';
import type { StreamAnswer } from './attempt.ts';
import { chargeFailure, type Outcome } from './outcome.ts';
import { StreamCharge } from './stream-charge.ts';

const utf8 = new TextEncoder();

/**
 * A stream on its way to the client, pulled by the transport: one upstream piece is read when the client has room for it,
 * so a slow reader slows the upstream down instead of filling memory. It ends in exactly one of three ways: complete, with
 * an error frame in the client's format, or because the client has gone.
 */
export class ClientStream {
  private over = false;
  private hasKept = false;
  private pendingFirst = true;
  private sawEnd = false;
  private readonly charge: StreamCharge;

  constructor(
    private readonly answer: StreamAnswer,
    private readonly format: ClientFormat,
    private readonly request: ParsedRequest,
    private readonly outcome: Outcome,
    /** Called with the answer that the stream carried, before its end goes out. */
    private readonly keep: ((answerJson: string) => Promise<void>) | null,
    /** Called when the stream has ended. */
    private readonly onOver: () => void,
    /** Called when the request is recorded too: at once where the upstream has reported all usage, else once it is counted. */
    private readonly onRecorded: () => void = () => undefined,
  ) {
    this.charge = new StreamCharge(answer.relay, { format, request }, outcome);
  }

  /** The next bytes for the client, or `null` when the stream has ended. Never empty, never rejects. */
  next(): Promise<Uint8Array | null> {
    if (!this.pendingFirst) return this.advance();
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
    return this.over ? Promise.resolve(null) : this.answer.body.read().then(this.onPiece);
  }

  private readonly onPiece = (piece: Uint8Array | null | Failure): Uint8Array | null | Promise<Uint8Array | null> => {
    if (this.over) return null;
    const { relay } = this.answer;
    if (piece instanceof Failure) {
      if (!relay.finished) return this.fail(piece, null);
      // The whole answer has gone out, end mark and all: how the upstream's connection ends is no longer the client's concern.
      this.finish();
      return null;
    }
    const out = piece === null ? relay.end() : relay.push(piece);
    if (relay.failure) return this.fail(relay.failure, out);
    return relay.finished && !this.sawEnd ? this.atEnd(out, piece === null) : this.pass(out, piece === null);
  };

  private pass(out: Uint8Array, isAll: boolean): Uint8Array | null | Promise<Uint8Array | null> {
    if (this.over) return null;
    if (isAll) this.finish();
    if (out.length === 0) return this.advance();
    this.outcome.firstByteSent();
    return this.kept(out);
  }

  /** The bytes that end an answer wait until its charge is durable (docs/billing.md). */
  private atEnd(out: Uint8Array, isAll: boolean): Uint8Array | null | Promise<Uint8Array | null> {
    this.sawEnd = true;
    const charging = this.charge.beforeEnd();
    if (charging === null) return this.pass(out, isAll);
    return charging.then(
      () => this.pass(out, isAll),
      () => (this.over ? null : this.fail(chargeFailure(), null)),
    );
  }

  /** The bytes that end an answer wait until the answer is kept, where it is to be. */
  private kept(out: Uint8Array): Uint8Array | Promise<Uint8Array> {
    const { keep } = this;
    if (keep === null || this.hasKept) return out;
    const answerJson = this.answer.relay.answerJson ?? null;
    if (answerJson === null) return out;
    this.hasKept = true;
    return keep(answerJson).then(() => out);
  }

  /** The client has gone: the upstream is cut at once. */
  clientLeft(): void {
    if (this.over) return;
    this.outcome.clientGone = true;
    this.outcome.failure = new Failure('client_closed_request', { message: 'The client closed the connection.' });
    this.finish();
  }

  private fail(failure: Failure, before: Uint8Array | null): Uint8Array | null {
    if (failure.code === 'client_closed_request') {
      this.clientLeft();
      return null;
    }
    this.outcome.failure = failure;
    this.finish();
    const own = this.answer.relay.encodeFailure?.(failure) ?? null;
    const frame = utf8.encode(own ?? this.format.encodeStreamFailure(failure, this.request));
    return before && before.length > 0 ? Buffer.concat([before, frame]) : frame;
  }

  private finish(): void {
    this.over = true;
    this.answer.body.cancel();
    this.outcome.over();
    this.onOver();
    this.charge.whenOver(() => {
      this.outcome.record();
      this.onRecorded();
    });
  }
}
