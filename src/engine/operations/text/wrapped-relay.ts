import type { Usage } from '../../../domain/exchange/usage.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import type { CapturedAnswer, StreamRelay } from '../../../formats/format.ts';

/** The base of a relay around another one. It delegates everything except `push` and `end`. */
export abstract class WrappedRelay implements StreamRelay {
  constructor(protected readonly relay: StreamRelay) {}

  abstract push(piece: Uint8Array): Uint8Array;
  abstract end(): Uint8Array;

  encodeFailure(failure: Failure): string | null {
    return this.relay.encodeFailure?.(failure) ?? null;
  }

  get failure() {
    return this.relay.failure;
  }

  get finished() {
    return this.relay.finished;
  }

  get opened() {
    return this.relay.opened === true;
  }

  get mayEnd() {
    return this.relay.mayEnd === true;
  }

  get usage() {
    return this.relay.usage;
  }

  get served() {
    return this.relay.served;
  }

  get started() {
    return this.relay.started;
  }

  get produced() {
    return this.relay.produced;
  }

  get awaitsUsage() {
    return this.relay.awaitsUsage === true;
  }

  counted(usage: Usage): void {
    this.relay.counted?.(usage);
  }

  lastFrames(): Uint8Array {
    return this.relay.lastFrames?.() ?? new Uint8Array(0);
  }

  get answerJson() {
    return this.relay.answerJson ?? null;
  }

  captured(): CapturedAnswer {
    return this.relay.captured?.() ?? null;
  }
}
