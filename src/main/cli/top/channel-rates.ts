import type { StatusDocument } from '../../../transports/shared/status-document.ts';

/** A channel as the gateway reports it, with what has happened since an earlier report. */
export interface ChannelRow {
  readonly name: string;
  readonly state: StatusDocument['channels']['list'][number]['state'];
  readonly inFlight: number;
  /** Attempts per second, and the share of them that failed; `null` before the second report. */
  readonly perSecond: number | null;
  readonly failureRate: number | null;
  readonly firstByteMs: number | null;
  readonly reason: string | null;
}

interface Report {
  readonly atMs: number;
  readonly counts: ReadonlyMap<string, { readonly requests: number; readonly failures: number }>;
}

/** The counters of channels in the reports of a moving window. */
export class ChannelRates {
  private reports: Report[] = [];

  constructor(private readonly windowMs: number) {}

  add({ channels }: Pick<StatusDocument, 'channels'>, atMs: number): void {
    const counts = new Map(channels.list.map(({ channel, requests, failures }) => [channel, { requests, failures }]));
    this.reports = [...this.reports.filter((report) => report.atMs >= atMs - this.windowMs), { atMs, counts }];
  }

  /** Returns the channels in the order of the report. */
  rows({ channels }: Pick<StatusDocument, 'channels'>): readonly ChannelRow[] {
    const latest = this.reports.at(-1);
    return channels.list.map((channel) => {
      const first = this.reports.find(({ counts }) => counts.has(channel.channel));
      const before = first?.counts.get(channel.channel);
      const seconds = ((latest?.atMs ?? 0) - (first?.atMs ?? 0)) / 1_000;
      // A gateway that has lost its counters counts from zero again.
      const wasReset = before !== undefined && channel.requests < before.requests;
      const requests = channel.requests - (wasReset ? 0 : (before?.requests ?? 0));
      const failures = channel.failures - (wasReset ? 0 : (before?.failures ?? 0));
      return {
        name: channel.channel,
        state: channel.state,
        inFlight: channel.in_flight,
        perSecond: seconds > 0 ? requests / seconds : null,
        failureRate: seconds > 0 && requests > 0 ? failures / requests : null,
        firstByteMs: channel.first_byte_ms,
        reason: channel.reason,
      };
    });
  }
}
