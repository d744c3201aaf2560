import type { RequestTimes } from '../ports/request-log.ts';

/** The times of a call's steps, in milliseconds since it arrived. Each step reads the clock once. */
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
