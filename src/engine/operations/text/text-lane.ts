import type { ExchangeResponse } from '../../../domain/exchange/response.ts';
import { billableOf, type Usage } from '../../../domain/exchange/usage.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { StreamRelay } from '../../../formats/format.ts';
import type { Lane, LaneAnswer, LaneRequest } from '../../call/lane.ts';
import type { TextTarget } from '../../directory/target.ts';
import { type ExtrasInput, extrasOf } from './extras.ts';
import { framed } from './framed.ts';
import { type MaybeWritten, readyFor, type WrittenRequest } from './written-request.ts';

/** A whole answer of a lane. */
export interface TextAnswer extends Omit<LaneAnswer, 'billable'> {
  /** What the upstream has said that it came to; `null` where it has not. */
  readonly usage: Usage | null;
  /** The answer in no provider's words, where the lane has read it. */
  readonly response?: ExchangeResponse;
}

export interface StreamOfWhole {
  readonly relay: StreamRelay;
  /** What of it can go to the client: all of it. */
  readonly bytes: Uint8Array;
  /** The answer that it was made of. */
  readonly response: ExchangeResponse;
}

/** One of the two ways of a text to a target and back: relayed as it is, or translated. */
export interface TextLane {
  request(): MaybeWritten;
  answer(bytes: Uint8Array): TextAnswer | Failure;
  stream(): StreamRelay;
  /** A whole answer to a request for a stream, as the stream that it could have been. */
  streamOfWhole(bytes: Uint8Array): StreamOfWhole | Failure;
}

/** The same as an attempt takes it: with the provider's changes, its framing, and what it bills beside the model's prices. */
export class PreparedLane implements Lane<StreamRelay> {
  constructor(
    private readonly lane: TextLane,
    private readonly target: TextTarget,
    readonly isRelayed: boolean,
    private readonly extrasInput: ExtrasInput,
  ) {}

  request(): LaneRequest | Failure | Promise<LaneRequest | Failure> {
    const written = this.lane.request();
    return written instanceof Promise ? written.then((later) => this.ready(later)) : this.ready(written);
  }

  answer(bytes: Uint8Array): LaneAnswer | Failure {
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

  private ready(written: WrittenRequest | Failure) {
    if (written instanceof Failure) return written;
    return readyFor(this.target, written, extrasOf(this.target, written, this.extrasInput));
  }
}
