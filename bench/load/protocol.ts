// The protocol between the benchmark and the load generator: one JSON line each way over standard input and output.

export interface RequestTemplate {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** May contain `noncePlaceholder` once; every request then gets a unique number, so that no cache can answer it. */
  readonly body: string;
  /** The number of markers in a complete answer. */
  readonly expectedMarkers: number;
  /** The text that a complete answer contains in its last bytes; empty for none. */
  readonly expectedEnding: string;
}

export const noncePlaceholder = '@request-no@';

export type LoadPlan =
  /** `connections` clients that each wait for their answer; ends after the time or the count, whichever is given. */
  | { readonly kind: 'closed'; readonly connections: number; readonly durationMs?: number; readonly requests?: number }
  /** `perSecond` requests a second, whether or not answers have arrived. */
  | { readonly kind: 'open'; readonly perSecond: number; readonly durationMs: number }
  /** `count` streams, opened at `opensPerSecond`, one request each. */
  | { readonly kind: 'streams'; readonly count: number; readonly opensPerSecond: number };

export interface LoadCommand {
  readonly port: number;
  readonly request: RequestTemplate;
  readonly plan: LoadPlan;
  /** How long after the plan's end requests in flight count as lost. */
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
