import type { RequestTimes } from '../ports/request-log.ts';

/** When a call came how far, in milliseconds since it arrived. Each step costs one look at the clock. */
export class CallTimes implements RequestTimes {
  admittedMs: number | null = null;
  lookedUpMs: number | null = null;
  askedMs: number | null = null;
  heardMs: number | null = null;
  answeredMs: number | null = null;
  chargedMs: number | null = null;
  upstreamStatus: number | null = null;

  asks(atMs: number): void {
    this.askedMs = atMs;
    this.heardMs = null;
    this.upstreamStatus = null;
  }

  hears(status: number, atMs: number): void {
    this.heardMs = atMs;
    this.upstreamStatus = status;
  }
}
