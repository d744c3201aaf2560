// What the benchmark asks of the load generator, one JSON line each way over its standard input and output.

export interface RequestTemplate {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** May hold `noncePlaceholder` once; every request then gets a number of its own, so that no cache can answer it. */
  readonly body: string;
  /** How many markers a complete answer holds. */
  readonly expectedMarkers: number;
  /** What a complete answer must contain in its last bytes; empty for nothing. */
  readonly expectedEnding: string;
}

export const noncePlaceholder = '@request-no@';

export type LoadPlan =
  /** As fast as `connections` clients go that each wait for their answer; ends after the time or the count, whichever is given. */
  | { readonly kind: 'closed'; readonly connections: number; readonly durationMs?: number; readonly requests?: number }
  /** `perSecond` requests a second, whether or not answers have come. */
  | { readonly kind: 'open'; readonly perSecond: number; readonly durationMs: number }
  /** `count` streams, opened at `opensPerSecond`, one request each. */
  | { readonly kind: 'streams'; readonly count: number; readonly opensPerSecond: number };

export interface LoadCommand {
  readonly port: number;
  readonly request: RequestTemplate;
  readonly plan: LoadPlan;
  /** After this long past the plan's end, what is still open counts as lost. */
  readonly patienceMs: number;
}

export interface LoadResult {
  readonly complete: number;
  readonly lost: number;
  readonly firstProblem: string;
  readonly durationMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly peakOpen: number;
}
