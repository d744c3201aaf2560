import { z } from 'zod';
import { isoTime } from '../../../engine/admin/view-fields.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { ExportStatus } from '../../../engine/request-export/export-status.ts';
import { type ManagementRoute, route } from '../route.ts';
import { SHARED_READ, sharedRead } from '../shared-reads.ts';

export interface ExportRoutesOptions {
  readonly exports: {
    statuses(): Promise<readonly ExportStatus[]>;
    /** Returns the place of an export for operators, without credentials. */
    placeOf(exportId: string): string;
  };
  readonly clock: Pick<Clock, 'nowMs'>;
}

const EXPORT = z
  .object({
    object: z.literal('export'),
    id: z.string(),
    kind: z.enum(['s3', 'clickhouse']),
    place: z.string().meta({ description: 'The bucket or the table.' }),
    state: z
      .enum(['pending', 'exporting', 'failing'])
      .meta({ description: '`pending` until the first batch, `failing` while the latest attempt has failed.' }),
    exported_lines: z.number(),
    skipped_lines: z.number().meta({ description: 'Lines that were left out, since a value cannot be exported.' }),
    last_exported_at: z.string().nullable(),
    lag_lines: z.number(),
    lag_seconds: z.number().meta({ description: 'Since the arrival of the oldest request that is not exported yet.' }),
    last_error: z.object({ at: z.string(), message: z.string() }).nullable(),
  })
  .meta({ id: 'Export' });

/** Returns `exports`: the state of the exports of the request log. */
export function exportRoutes({ exports, clock }: ExportRoutesOptions): readonly ManagementRoute[] {
  return [
    route({
      ...{ method: 'get', path: '/exports', operationId: 'listExports', tag: 'System' },
      summary: 'Read the state of the exports of the request log',
      description: `Exports are set in the section \`exports\` of the configuration file. ${SHARED_READ}`,
      access: { who: 'operator', scope: 'system:read' },
      answer: {
        description: 'Each configured export',
        schema: z.object({ object: z.literal('list'), data: z.array(EXPORT) }).meta({ id: 'ExportList' }),
      },
      handle: sharedRead(clock, async () => {
        const statuses = await exports.statuses();
        const nowMs = clock.nowMs();
        return {
          object: 'list' as const,
          data: statuses.map((status) => exportView(status, exports.placeOf(status.settings.id), nowMs)),
        };
      }),
    }),
  ];
}

function exportView({ settings, progress, lagLines, oldestAtMs }: ExportStatus, place: string, nowMs: number) {
  const failure = progress?.failure ?? null;
  const begun = progress?.exportedAtMs == null ? ('pending' as const) : ('exporting' as const);
  return {
    object: 'export' as const,
    id: settings.id,
    kind: settings.to.kind,
    place,
    state: failure === null ? begun : ('failing' as const),
    exported_lines: progress?.exportedLines ?? 0,
    skipped_lines: progress?.skippedLines ?? 0,
    last_exported_at: progress?.exportedAtMs == null ? null : isoTime(progress.exportedAtMs),
    lag_lines: lagLines,
    lag_seconds: oldestAtMs === null ? 0 : Math.max(0, Math.round((nowMs - oldestAtMs) / 1_000)),
    last_error: failure === null ? null : { at: isoTime(failure.atMs), message: failure.message },
  };
}
