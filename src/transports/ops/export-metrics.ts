import type { Clock } from '../../engine/ports/clock.ts';
import type { ExportsSettings } from '../../engine/ports/export-destination.ts';
import type { ExportStatus } from '../../engine/request-export/export-status.ts';
import type { ExportCounters } from '../../engine/request-export/exporter.ts';
import { CounterFamily, ReadFamily, sharedRead } from './families.ts';
import type { MetricRegistry } from './metric-registry.ts';

/** Counts what this process exports. */
export class ExportMetrics implements ExportCounters {
  private readonly lines: CounterFamily<'switchyard_export_lines_total'>;
  private readonly left: CounterFamily<'switchyard_export_skipped_lines_total'>;
  private readonly failures: CounterFamily<'switchyard_export_failures_total'>;

  constructor(registry: MetricRegistry) {
    this.lines = new CounterFamily(registry, 'switchyard_export_lines_total');
    this.left = new CounterFamily(registry, 'switchyard_export_skipped_lines_total');
    this.failures = new CounterFamily(registry, 'switchyard_export_failures_total');
  }

  exported(exportId: string, lines: number): void {
    this.lines.labels({ export: exportId }).add(lines);
  }

  skipped(exportId: string, lines: number): void {
    this.left.labels({ export: exportId }).add(lines);
  }

  failed(exportId: string): void {
    this.failures.labels({ export: exportId }).add(1);
  }
}

/** Registers gauges for each export. The lag is read from the store at each scrape. */
export function openExportMetrics(
  registry: MetricRegistry,
  { targets }: Pick<ExportsSettings, 'targets'>,
  statuses: () => Promise<readonly ExportStatus[]>,
  clock: Pick<Clock, 'nowMs'>,
): void {
  new ReadFamily(registry, 'switchyard_export_interval_seconds', () =>
    targets.map(({ id, intervalMs }) => ({ labels: { export: id }, value: intervalMs / 1_000 })),
  );
  const read = sharedRead(statuses);
  new ReadFamily(registry, 'switchyard_export_lag_lines', async () =>
    (await read()).map(({ settings, lagLines }) => ({ labels: { export: settings.id }, value: lagLines })),
  );
  new ReadFamily(registry, 'switchyard_export_lag_seconds', async () =>
    (await read()).map(({ settings, oldestAtMs }) => ({
      labels: { export: settings.id },
      value: oldestAtMs === null ? 0 : Math.max(0, (clock.nowMs() - oldestAtMs) / 1_000),
    })),
  );
}
