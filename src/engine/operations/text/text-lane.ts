import type { ExchangeResponse } from '../../../domain/exchange/response.ts';
import { billableOf, type Usage } from '../../../domain/exchange/usage.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { StreamRelay } from '../../../formats/text/format.ts';
import type { BytesRequest, Lane, WholeResponse } from '../../call/lane.ts';
import type { TextTarget } from '../../directory/target.ts';
import { type ExtrasInput, extrasOf } from './extras.ts';
import { framed } from './wrapped-relay.ts';
import { type MaybeWritten, readyFor, type WrittenRequest } from './written-request.ts';

/** A whole answer of a lane. */
export interface TextAnswer extends Omit<WholeResponse, 'billable'> {
  /** The usage that the upstream reported; `null` if it reported none. */
  readonly usage: Usage | null;
  /** The answer in canonical form, if the lane has decoded it. */
  readonly response?: ExchangeResponse;
}

export interface StreamOfWhole {
  readonly relay: StreamRelay;
  /** The bytes for the client: the whole stream. */
  readonly bytes: Uint8Array;
  /** The answer that the stream was made from. */
  readonly response: ExchangeResponse;
}

/** One of the two lanes of a text request: relay or translate. */
export interface TextLane {
  request(): MaybeWritten;
  answer(bytes: Uint8Array): TextAnswer | Failure;
  stream(): StreamRelay;
  /** Turns a whole answer to a streaming request into a stream. */
  streamOfWhole(bytes: Uint8Array): StreamOfWhole | Failure;
}

/** A text lane as an attempt uses it; subclasses make the request. */
export abstract class AnsweringLane implements Lane<StreamRelay> {
  constructor(
    protected readonly lane: TextLane,
    protected readonly target: TextTarget,
    readonly isRelayed: boolean,
  ) {}

  abstract request(): BytesRequest | Failure | Promise<BytesRequest | Failure>;

  answer(bytes: Uint8Array): WholeResponse | Failure {
    const answer = this.lane.answer(bytes);
    if (answer instanceof Failure) return answer;
    const { usage } = answer;
    return { ...answer, billable: usage === null ? null : billableOf(usage) };
  }

  stream(): StreamRelay {
    return framed(this.lane.stream(), this.target);
  }

  streamOfWhole(bytes: Uint8Array) {
    return this.lane.streamOfWhole(bytes);
  }
}

/** A text lane with the provider's changes to the body, its framing, and its extras. */
export class PreparedLane extends AnsweringLane {
  constructor(
    lane: TextLane,
    target: TextTarget,
    isRelayed: boolean,
    private readonly extrasInput: ExtrasInput,
    private readonly preparing: PreparingLane | null = null,
  ) {
    super(lane, target, isRelayed);
  }

  request(): BytesRequest | Failure | Promise<BytesRequest | Failure> {
    const written = this.lane.request();
    return written instanceof Promise ? this.readyLater(written) : this.ready(written);
  }

  private async readyLater(writing: Promise<WrittenRequest | Failure>) {
    return this.ready(await writing);
  }

  private ready(written: WrittenRequest | Failure) {
    if (written instanceof Failure) return written;
    const ready = readyFor(this.target, written, extrasOf(this.target, written, this.extrasInput));
    if (this.preparing !== null && !(ready instanceof Promise || ready instanceof Failure)) this.preparing.sends(ready);
    return ready;
  }
}

/** Observes what the general path sends, to prepare the requests that follow. */
export interface PreparingLane {
  sends(request: BytesRequest): void;
}
