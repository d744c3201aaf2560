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
  readonly host: string;
  readonly atMs: number;
  readonly counts: ReadonlyMap<string, { readonly requests: number; readonly failures: number }>;
}

type Reported = Pick<StatusDocument, 'channels' | 'host'>;

/** The counters of channels in the reports of a moving window. Behind a load balancer each machine reports its own. */
export class ChannelRates {
  private reports: Report[] = [];

  constructor(private readonly windowMs: number) {}

  add({ channels, host }: Reported, atMs: number): void {
    const counts = new Map(channels.list.map(({ channel, requests, failures }) => [channel, { requests, failures }]));
    const since = atMs - this.windowMs;
    const latest = this.reports.findLast((report) => report.host === host);
    // The latest one is kept in any case: the interval may be as long as the window.
    const kept = this.reports.filter((report) => report.atMs >= since || report === latest);
    this.reports = [...kept, { host, atMs, counts }];
  }

  /** Returns the channels in the order of the report. */
  rows({ channels, host }: Reported): readonly ChannelRow[] {
    const reports = this.reports.filter((report) => report.host === host);
    const latest = reports.at(-1);
    return channels.list.map((channel) => {
      const first = reports.find(({ counts }) => counts.has(channel.channel));
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
