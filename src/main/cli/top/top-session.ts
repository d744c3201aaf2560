import { z } from 'zod';
import type { Clock } from '../../../engine/ports/clock.ts';
import { STATUS_DOCUMENT, type StatusDocument } from '../../../transports/shared/status-document.ts';
import { followRequests } from '../remote/follow-requests.ts';
import { type ManagementClient, RemoteError, type RemoteQuery } from '../remote/management-client.ts';
import { ChannelRates } from './channel-rates.ts';
import type { NotableRequest, TopView } from './screen.ts';
import { GROUPINGS, type Grouping, SORTINGS, type Sorting, Traffic } from './traffic.ts';

export const WINDOW_MS = 60_000;
/** A report older than this is marked, since the gateway answers slowly. */
const OLD_MS = 10_000;

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? null);

const RUNNING = z.object({
  data: z.array(z.object({ id: z.string(), elapsed_ms: z.number(), account: text, model: text, channel: text })),
});

export interface TopSessionOptions {
  readonly client: Pick<ManagementClient, 'url' | 'events' | 'readShared' | 'status'>;
  readonly query: RemoteQuery;
  readonly filters: string;
  /** From which duration on, in milliseconds, a request is slow. */
  readonly slowMs: number;
  readonly grouping: Grouping;
  readonly sorting: Sorting;
  readonly clock: Clock;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Collects what `switchyard top` shows: finished requests from the live stream, and reports that are read at intervals. */
export class TopSession {
  private readonly traffic: Traffic;
  private readonly rates = new ChannelRates(WINDOW_MS);
  private report: { readonly status: StatusDocument; readonly atMs: number } | null = null;
  private running: readonly NotableRequest[] = [];
  private mayReadStatus = true;
  private grouping: Grouping;
  private sorting: Sorting;
  private lost: string | null = null;
  private isReading = false;
  private frozen: TopView | null = null;

  constructor(private readonly options: TopSessionOptions) {
    this.grouping = options.grouping;
    this.sorting = options.sorting;
    this.traffic = new Traffic(WINDOW_MS, options.clock.monotonicMs());
  }

  /** Receives finished requests until the signal fires. Throws `RemoteError` if the gateway refuses the token or the filters. */
  async receive(): Promise<void> {
    const { client, query, clock, sleep, signal, slowMs } = this.options;
    for await (const followed of followRequests(client, { query, resumes: false, signal, sleep })) {
      const nowMs = clock.monotonicMs();
      if (followed.kind === 'disconnected') this.lost = followed.reason;
      else if (this.lost !== null) {
        this.lost = null;
        this.traffic.restart(nowMs);
      }
      if (followed.kind === 'request') this.traffic.add(followed.request, nowMs, slowMs);
    }
  }

  /** Reads the reports, unless an earlier read has not ended. Throws `RemoteError` if the gateway refuses the token. */
  async read(): Promise<void> {
    if (this.isReading) return;
    this.isReading = true;
    try {
      await Promise.all([this.readStatus(), this.readRunning()]);
    } catch (error) {
      const { signal } = this.options;
      if (signal.aborted || (error instanceof RemoteError && error.isPassing)) return;
      throw error;
    } finally {
      this.isReading = false;
    }
  }

  private async readStatus(): Promise<void> {
    if (!this.mayReadStatus) return;
    const { client, clock, signal } = this.options;
    try {
      const parsed = STATUS_DOCUMENT.safeParse(await client.status(signal));
      if (!parsed.success) return;
      const atMs = clock.monotonicMs();
      this.report = { status: parsed.data, atMs };
      this.rates.add(parsed.data, atMs);
    } catch (error) {
      // A token of an account, and a gateway of an earlier version.
      const isClosed = error instanceof RemoteError && (error.status === 403 || error.status === 404);
      if (!isClosed) throw error;
      this.mayReadStatus = false;
    }
  }

  private async readRunning(): Promise<void> {
    const { client, query, signal, slowMs } = this.options;
    const { account_id, key, model, channel } = query;
    const parsed = RUNNING.safeParse(
      await client.readShared('/requests/running', { account_id, key, model, channel }, signal),
    );
    if (!parsed.success) return;
    this.running = parsed.data.data
      .filter(({ elapsed_ms }) => elapsed_ms >= slowMs)
      .map(({ id, elapsed_ms, account, model: modelId, channel: channelId }) => ({
        ...{ id, isRunning: true, durationMs: elapsed_ms, status: null, isFailed: false, problem: null },
        ...{ account: account ?? '-', model: modelId ?? '-', channel: channelId ?? '-' },
      }));
  }

  /** Handles a typed key. Returns `false` if it asks to quit. */
  key(typed: string): boolean {
    if (typed === 'q' || typed === 'Q' || typed === '\u0003' || typed === '\u0004') return false;
    if (typed === ' ' || typed === 'p') this.frozen = this.frozen === null ? this.now() : null;
    if (typed === 'g') this.grouping = nextOf(GROUPINGS, this.grouping);
    if (typed === 's') this.sorting = nextOf(SORTINGS, this.sorting);
    return true;
  }

  /** Returns what to show: the present, or while paused the moment of the pause. */
  view(): TopView {
    return this.frozen === null ? this.now() : { ...this.frozen, isPaused: true };
  }

  private now(): TopView {
    const { client, clock, filters } = this.options;
    const nowMs = clock.monotonicMs();
    const { report, traffic, grouping, sorting } = this;
    return {
      url: client.url,
      clock: new Date(clock.nowMs()).toISOString().slice(11, 19),
      status: report?.status ?? null,
      channels: report === null ? [] : this.rates.rows(report.status),
      sums: traffic.sums(nowMs),
      rows: traffic.rows(grouping, sorting, nowMs),
      requests: [...this.running, ...this.finished()],
      ...{ grouping, sorting, filters, isPaused: false, notice: this.notice(nowMs) },
    };
  }

  private finished(): readonly NotableRequest[] {
    return this.traffic.slowOrFailed.map((request) => ({
      id: request.id,
      isRunning: false,
      durationMs: request.latency_ms,
      status: request.status,
      isFailed: request.error_code !== null,
      account: request.account ?? '-',
      model: request.model ?? request.requested_model ?? '-',
      channel: request.channel ?? '-',
      problem: request.error_code,
    }));
  }

  private notice(nowMs: number): string | null {
    if (this.lost !== null) return `${this.lost}; connecting again`;
    const ageMs = this.report === null ? 0 : nowMs - this.report.atMs;
    if (ageMs > OLD_MS) return `The gateway answers slowly: its state is ${Math.round(ageMs / 1_000)} s old.`;
    return null;
  }
}

function nextOf<Word>(words: readonly Word[], word: Word): Word {
  return words[(words.indexOf(word) + 1) % words.length] ?? word;
}
