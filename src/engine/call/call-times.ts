import type { AskedTarget } from '../directory/target.ts';
import type { FailedAttempt, RequestTimes } from '../ports/request-log.ts';

/** The times of a call's steps, in milliseconds since it arrived. Each step reads the clock once. */
export class CallTimes implements RequestTimes {
  admittedMs: number | null = null;
  queuedMs: number | null = null;
  lookedUpMs: number | null = null;
  askedMs: number | null = null;
  heardMs: number | null = null;
  answeredMs: number | null = null;
  chargedMs: number | null = null;
  upstreamStatus: number | null = null;

  /** Adds a wait for channels at their limits. */
  waits(ms: number): void {
    this.queuedMs = (this.queuedMs ?? 0) + ms;
  }

  asks(atMs: number): void {
    this.askedMs = atMs;
    this.heardMs = null;
    this.upstreamStatus = null;
  }

  hears(status: number, atMs: number): void {
    this.heardMs = atMs;
    this.upstreamStatus = status;
  }

  /** Returns the facts of the current attempt for the request log. */
  ofAttempt(asked: AskedTarget | null, upstreamRequestId: string | null): Partial<FailedAttempt> {
    const { askedMs, heardMs, upstreamStatus } = this;
    return {
      ...(asked !== null && { provider: asked.channel.provider }),
      ...(askedMs !== null && { beganMs: askedMs }),
      ...(askedMs !== null && heardMs !== null && { heardMs: heardMs - askedMs }),
      ...(upstreamStatus !== null && { status: upstreamStatus }),
      ...(upstreamRequestId !== null && { upstreamRequestId }),
    };
  }
}
