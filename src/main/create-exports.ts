import type { Clock } from '../engine/ports/clock.ts';
import type { ExportDestination, ExportSettings, ExportsSettings } from '../engine/ports/export-destination.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { Store } from '../engine/ports/store.ts';
import { exportStatuses } from '../engine/request-export/export-status.ts';
import { Exporter } from '../engine/request-export/exporter.ts';
import { ExportMetrics, openExportMetrics } from '../transports/ops/export-metrics.ts';
import type { MetricRegistry } from '../transports/ops/metric-registry.ts';
import { VERSION } from './build.ts';
import { newId } from './system.ts';

export interface ExportOptions {
  readonly clock: Clock;
  readonly store: Store;
  readonly logger: Logger;
  readonly exports: ExportsSettings;
  /** Whether this process exports. Of a group, one does; of several nodes, the one that claims an export. */
  readonly isExporter: boolean;
}

const LOOK_MS = 1_000;
/** How long a stop waits for a batch in flight. */
const STOP_MS = 5_000;
/** The pause between two pages, in which requests are handled. */
const PAUSE_MS = 5;

/** Wires the exports of the request log. Nothing runs, and no library is loaded, without one in the configuration. */
export function createExports(options: ExportOptions, registry: MetricRegistry) {
  const { clock, store, logger, exports } = options;
  const ports = { store: store.exports, log: store.requestLog };
  const statuses = () => exportStatuses(ports, exports);
  const counters = new ExportMetrics(registry);
  openExportMetrics(registry, exports, statuses, clock);
  const running = options.isExporter ? exports.targets : [];
  const exporters = running.map(
    (settings) =>
      new Exporter({
        ...{ ...ports, settings, clock, logger, counters },
        destination: async () => openDestination(settings),
        directory: store.directory,
        holder: newId('node_'),
        random: Math.random,
        pause: () => Bun.sleep(PAUSE_MS),
      }),
  );
  const looking = exporters.length === 0 ? undefined : setInterval(lookAll, LOOK_MS);
  function lookAll(): void {
    for (const exporter of exporters) void exporter.look();
  }
  return {
    statuses,
    placeOf: (exportId: string) => {
      const target = exports.targets.find(({ id }) => id === exportId);
      return target === undefined ? '' : placeOf(target);
    },
    stop: async () => {
      clearInterval(looking);
      await inTime(Promise.all(exporters.map((exporter) => exporter.stop())));
    },
  };
}

/** Waits for exporters that stop, but not for a destination that does not respond: its batch is sent again at the next start. */
async function inTime(stopped: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, STOP_MS);
  });
  await Promise.race([stopped, late]);
  clearTimeout(timer);
}

export type CreatedExports = ReturnType<typeof createExports>;

/** Returns the place of an export for operators, without credentials. */
export function placeOf({ to }: ExportSettings): string {
  if (to.kind === 'clickhouse') return `${to.table.database}.${to.table.table} at ${to.table.url}`;
  const { bucket, prefix, endpoint, region } = to.bucket;
  return `s3://${bucket}/${prefix} at ${endpoint ?? `Amazon S3, ${region ?? 'default region'}`}`;
}

/** Loads the libraries of a destination and opens it. */
export async function openDestination({ id: exportId, to }: ExportSettings): Promise<ExportDestination> {
  const writtenBy = `Switchyard ${VERSION}`;
  if (to.kind === 's3') {
    const { S3Destination } = await import('../stores/exports/s3-destination.ts');
    return new S3Destination({ exportId, bucket: to.bucket, writtenBy });
  }
  const { ClickHouseDestination } = await import('../stores/exports/clickhouse-destination.ts');
  return new ClickHouseDestination({ exportId, table: to.table, writtenBy });
}
