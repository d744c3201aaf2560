import { costOf, type ReceivedRequest, tokensOf } from '../remote/received-request.ts';

/** The requests of one model, channel, account or key within the window. */
export interface TrafficRow {
  readonly name: string;
  readonly requests: number;
  readonly failed: number;
  readonly tokens: number;
  readonly costNanoUsd: bigint;
  /** The 95th percentile of the latency. */
  readonly p95Ms: number;
}

export interface TrafficSums {
  /** How long the window has been filled, at most its length. */
  readonly seconds: number;
  readonly requests: number;
  /** The requests that failed, whoever was at fault, and those of them that were not the client's fault. */
  readonly failed: number;
  readonly faults: number;
  readonly cached: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costNanoUsd: bigint;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly firstByteP95Ms: number | null;
}

export const GROUPINGS = ['model', 'channel', 'account', 'key'] as const;
export type Grouping = (typeof GROUPINGS)[number];

export const SORTINGS = ['requests', 'failed', 'tokens', 'cost', 'latency'] as const;
export type Sorting = (typeof SORTINGS)[number];

/** The most requests that are kept. Of more, the oldest are left out, and the window is shorter. */
const MOST_KEPT = 60_000;
const MOST_NOTABLE = 50;

interface Kept {
  /** When it was received, by the monotonic clock. */
  readonly receivedMs: number;
  readonly model: string;
  readonly channel: string;
  readonly account: string;
  readonly key: string;
  readonly isFailed: boolean;
  readonly isFault: boolean;
  readonly isCached: boolean;
  readonly input: number;
  readonly output: number;
  readonly costNanoUsd: bigint;
  readonly latencyMs: number;
  readonly firstByteMs: number | null;
}

/** The requests that finished within a moving window, and their sums. */
export class Traffic {
  private kept: Kept[] = [];
  /** Requests before this index have left the window. */
  private head = 0;
  private startedMs: number;
  /** The slow and the failed requests that finished last, the newest first. */
  private readonly notable: ReceivedRequest[] = [];

  /** @param windowMs the length of the window in milliseconds */
  constructor(
    private readonly windowMs: number,
    nowMs: number,
  ) {
    this.startedMs = nowMs;
  }

  /** @param slowMs from which latency on a request is notable */
  add(request: ReceivedRequest, nowMs: number, slowMs: number): void {
    const { input, output } = tokensOf(request);
    const isFailed = request.error_code !== null;
    this.kept.push({
      receivedMs: nowMs,
      model: request.model ?? request.requested_model ?? '-',
      channel: request.cache === null ? (request.channel ?? '-') : '(cache)',
      account: request.account ?? '-',
      key: request.key === null ? '-' : `${request.account ?? '-'}/${request.key}`,
      ...{ isFailed, isFault: isFailed && request.error_side !== 'client', isCached: request.cache !== null },
      ...{ input, output, costNanoUsd: costOf(request) ?? 0n },
      ...{ latencyMs: request.latency_ms, firstByteMs: request.first_byte_ms },
    });
    if (this.kept.length - this.head > MOST_KEPT) this.head++;
    this.cutOff();
    if (!isFailed && request.latency_ms < slowMs) return;
    this.notable.unshift(request);
    this.notable.length = Math.min(this.notable.length, MOST_NOTABLE);
  }

  /** Begins anew, after a gap in which requests were not received when they finished. */
  restart(nowMs: number): void {
    this.kept = [];
    this.head = 0;
    this.startedMs = nowMs;
  }

  get slowOrFailed(): readonly ReceivedRequest[] {
    return this.notable;
  }

  sums(nowMs: number): TrafficSums {
    const rows = this.current(nowMs);
    const count = (isWanted: (row: Kept) => boolean) => rows.reduce((sum, row) => sum + (isWanted(row) ? 1 : 0), 0);
    const latencies = sorted(rows.map(({ latencyMs }) => latencyMs));
    const firstBytes = sorted(rows.flatMap(({ firstByteMs }) => firstByteMs ?? []));
    return {
      seconds: this.seconds(nowMs),
      requests: rows.length,
      failed: count(({ isFailed }) => isFailed),
      faults: count(({ isFault }) => isFault),
      cached: count(({ isCached }) => isCached),
      inputTokens: rows.reduce((sum, { input }) => sum + input, 0),
      outputTokens: rows.reduce((sum, { output }) => sum + output, 0),
      costNanoUsd: rows.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0n),
      p50Ms: percentile(latencies, 50),
      p95Ms: percentile(latencies, 95),
      p99Ms: percentile(latencies, 99),
      firstByteP95Ms: firstBytes.length === 0 ? null : percentile(firstBytes, 95),
    };
  }

  /** Returns the groups in order, the largest first; equal ones by name. */
  rows(grouping: Grouping, sorting: Sorting, nowMs: number): readonly TrafficRow[] {
    const groups = Map.groupBy(this.current(nowMs), (row) => row[grouping]);
    return [...groups]
      .map(([name, rows]) => ({
        name,
        requests: rows.length,
        failed: rows.reduce((sum, { isFailed }) => sum + (isFailed ? 1 : 0), 0),
        tokens: rows.reduce((sum, { input, output }) => sum + input + output, 0),
        costNanoUsd: rows.reduce((sum, row) => sum + row.costNanoUsd, 0n),
        p95Ms: percentile(sorted(rows.map(({ latencyMs }) => latencyMs)), 95),
      }))
      .toSorted((one, other) => compare(sorting, other, one) || (one.name < other.name ? -1 : 1));
  }

  /** The length of the window in seconds, at least one. */
  private seconds(nowMs: number): number {
    const oldest = this.kept.length - this.head >= MOST_KEPT ? (this.kept[this.head]?.receivedMs ?? nowMs) : 0;
    const since = Math.max(this.startedMs, oldest, nowMs - this.windowMs);
    return Math.max(1, (nowMs - since) / 1_000);
  }

  private current(nowMs: number): readonly Kept[] {
    const since = nowMs - this.windowMs;
    while (this.head < this.kept.length && (this.kept[this.head]?.receivedMs ?? 0) < since) this.head++;
    this.cutOff();
    return this.kept.slice(this.head);
  }

  /** Removes what has left the window. Cutting off only a larger part keeps the cost constant per request. */
  private cutOff(): void {
    if (this.head === 0 || this.head * 2 < this.kept.length) return;
    this.kept = this.kept.slice(this.head);
    this.head = 0;
  }
}

function compare(sorting: Sorting, one: TrafficRow, other: TrafficRow): number {
  if (sorting === 'cost') return one.costNanoUsd < other.costNanoUsd ? -1 : one.costNanoUsd > other.costNanoUsd ? 1 : 0;
  const measure = { requests: 'requests', failed: 'failed', tokens: 'tokens', latency: 'p95Ms' } as const;
  return one[measure[sorting]] - other[measure[sorting]];
}

function sorted(numbers: readonly number[]): Float64Array {
  return Float64Array.from(numbers).sort();
}

/** Returns the nearest rank; 0 for no values. */
function percentile(ascending: Float64Array, percent: number): number {
  return ascending[Math.max(0, Math.ceil((percent / 100) * ascending.length) - 1)] ?? 0;
}
