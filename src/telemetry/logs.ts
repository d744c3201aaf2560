import { resourceFromAttributes } from '@opentelemetry/resources';
import type { Clock, Sleep } from '../engine/ports/clock.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { TelemetrySettings } from '../engine/settings/telemetry.ts';
import { type ExportCounts, ExportQueue } from './otlp/export-queue.ts';
import { logExporter } from './otlp/log-exporter.ts';
import { logRecordOf } from './otlp/log-record.ts';
import { scopeOf } from './otlp/readable-span.ts';
import { otlpTarget } from './otlp/target.ts';
import type { ResourceAttributes } from './resource.ts';

/** A longer line counts as several, so that the bound of the queue also bounds its memory. Usual ones have 300 to 900. */
const CHARACTERS_PER_LINE = 2_048;

export interface LogsOptions {
  readonly settings: TelemetrySettings;
  readonly resource: ResourceAttributes;
  readonly version: string;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Exports the gateway's log lines by OTLP (docs/logs.md). */
export class OtlpLogs {
  readonly capacity: number;
  private readonly queue: ExportQueue<string>;

  /** Throws `UnreadableFile` if a certificate cannot be read. */
  constructor({ settings, resource: attributes, version, clock, sleep, logger }: LogsOptions) {
    const { logs, otlp } = settings;
    const send = logExporter(otlpTarget('logs', logs.otlp, otlp, logs.exportTimeoutMs));
    const resource = resourceFromAttributes(attributes);
    const scope = scopeOf(version);
    this.capacity = logs.queueLines;
    this.queue = new ExportQueue<string>({
      signal: 'logs',
      most: logs.queueLines,
      batch: logs.batchLines,
      delayMs: logs.delayMs,
      timeoutMs: logs.exportTimeoutMs,
      weightOf: (line) => Math.ceil(line.length / CHARACTERS_PER_LINE),
      countOf: () => 1,
      // The lines are parsed here, off the path of the request.
      send: (lines) => send(lines.map((line) => logRecordOf(line, resource, scope))),
      ...{ sleep, logger, nowMs: () => clock.monotonicMs() },
    });
  }

  /** Takes a line as JSON. */
  readonly read = (line: string): void => {
    this.queue.add(line);
  };

  /** The number of lines by what became of them. */
  get counts(): Readonly<ExportCounts> {
    return this.queue.counts;
  }

  /** The number of lines that wait, of which long ones count as several. */
  get waiting(): number {
    return this.queue.length;
  }

  /** Exports what waits, for at most `withinMs`. Never rejects. */
  close(withinMs: number): Promise<void> {
    return this.queue.close(withinMs);
  }
}
