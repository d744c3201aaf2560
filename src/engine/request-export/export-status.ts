import type { ExportSettings, ExportsSettings } from '../ports/export-destination.ts';
import type { ExportProgress, ExportStore } from '../ports/export-store.ts';
import type { RequestLog } from '../ports/request-log.ts';

interface StatusPorts {
  readonly store: Pick<ExportStore, 'list'>;
  readonly log: Pick<RequestLog, 'written' | 'lastWritten'>;
}

/** The state of one configured export. Times are in milliseconds since 1970. */
export interface ExportStatus {
  readonly settings: ExportSettings;
  /** `null` until the export has begun. */
  readonly progress: ExportProgress | null;
  /** The number of lines that are not exported yet; numbers of failed writes are counted as well. */
  readonly lagLines: number;
  /** The arrival of the oldest of these lines; `null` if there are none. */
  readonly oldestAtMs: number | null;
}

/** Resolves to the state of each configured export, as the store has it: any process may ask. */
export async function exportStatuses(
  { store, log }: StatusPorts,
  { targets }: Pick<ExportsSettings, 'targets'>,
): Promise<readonly ExportStatus[]> {
  if (targets.length === 0) return [];
  const [known, [newest = 0]] = await Promise.all([store.list(), log.lastWritten(1)]);
  return Promise.all(
    targets.map(async (settings): Promise<ExportStatus> => {
      const progress = known.find(({ exportId }) => exportId === settings.id)?.progress ?? null;
      const topId = progress?.place.topId ?? 0;
      const [oldest] = newest > topId ? await log.written({ topId, missing: [] }, 1) : [];
      return {
        settings,
        progress,
        lagLines: Math.max(0, newest - topId),
        oldestAtMs: oldest === undefined ? null : oldest.record.atMs,
      };
    }),
  );
}

/** A line is written when its response has ended, and may be overtaken by lines that arrived later. */
const LONGEST_REQUEST_MS = 86_400_000;

/**
 * Resolves to the time before which the request log may be deleted: `beforeMs`, or earlier while an export has not sent older lines, but at
 * most by `holdMs`.
 */
export async function deletableBefore(ports: StatusPorts, exports: ExportsSettings, beforeMs: number): Promise<number> {
  const statuses = await exportStatuses(ports, exports);
  const needed = statuses.map(({ oldestAtMs }) => (oldestAtMs ?? Number.POSITIVE_INFINITY) - LONGEST_REQUEST_MS);
  return Math.max(beforeMs - exports.holdMs, Math.min(beforeMs, ...needed));
}
