import type { FamilySnapshot, Labels } from '../../domain/metrics/snapshot.ts';
import type { Clock, Sleep } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { exportFailure } from '../otlp/http-exporter.ts';
import { encodeMetrics, pointCountOf } from './encode-metrics.ts';

export interface MetricsPushOptions {
  /** Resolves to the state of all metrics of this process. */
  readonly read: () => Promise<readonly FamilySnapshot[]>;
  /** Sends an encoded export. Rejects if the collector has not accepted it. */
  readonly send: (bytes: Uint8Array) => Promise<void>;
  readonly resource: Labels;
  readonly scope: { readonly name: string; readonly version: string };
  readonly intervalMs: number;
  /** When an export is given up. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly logger: Pick<Logger, 'warn'>;
}

const REPORT_EVERY_MS = 60_000;

/**
 * Pushes the metrics of this process to a collector at an interval, one export at a time. Values are cumulative, so that a failed export
 * loses nothing but its point in time, and nothing has to be kept.
 */
export class MetricsPush {
  /** The number of exported points since the start, and of those that the collector has not accepted. */
  readonly counts = { exported: 0, failed: 0 };
  private readonly startedAtMs: number;
  private readonly stopping = new AbortController();
  private reportedAtMs = Number.NEGATIVE_INFINITY;
  private readonly running: Promise<void>;

  constructor(private readonly options: MetricsPushOptions) {
    this.startedAtMs = options.clock.nowMs();
    this.running = this.run();
  }

  /** Makes a last export, and stops after at most `withinMs`. Never rejects. */
  async close(withinMs: number): Promise<void> {
    this.stopping.abort();
    const late = new AbortController();
    await Promise.race([this.running, this.options.sleep(withinMs, late.signal)]);
    late.abort();
  }

  private async run(): Promise<void> {
    const { sleep, intervalMs } = this.options;
    while (!this.stopping.signal.aborted) {
      await sleep(intervalMs, this.stopping.signal);
      await this.push();
    }
  }

  private async push(): Promise<void> {
    const { read, send, resource, scope, clock, sleep, timeoutMs } = this.options;
    const late = new AbortController();
    let points = 0;
    try {
      const families = await read();
      points = pointCountOf(families);
      const { startedAtMs } = this;
      const bytes = encodeMetrics({ resource, scope, families, startedAtMs, atMs: clock.nowMs() });
      const expired = sleep(timeoutMs, late.signal).then(() => {
        if (!late.signal.aborted) throw new Error(`no response within ${timeoutMs} ms`);
      });
      await Promise.race([send(bytes), expired]);
      this.counts.exported += points;
    } catch (error) {
      this.counts.failed += points;
      this.report(error);
    } finally {
      late.abort();
    }
  }

  private report(error: unknown): void {
    const { clock, logger } = this.options;
    if (clock.monotonicMs() - this.reportedAtMs < REPORT_EVERY_MS) return;
    this.reportedAtMs = clock.monotonicMs();
    logger.warn({ signal: 'metrics', reason: exportFailure(error) }, 'telemetry could not be exported');
  }
}
