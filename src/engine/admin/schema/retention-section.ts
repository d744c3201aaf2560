import { z } from 'zod';
import { integer, MAP } from '../../../providers/shared/file-fields.ts';
import { DEFAULT_RETENTION, type RetentionSettings } from '../../settings/settings.ts';
import { isMap } from '../settings/leaves.ts';

const DAY_MS = 86_400_000;
const YEAR_DAYS = 365;
const MOST_YEARS = 100;

const days = (least: number, mostYears: number) =>
  integer(
    `must be a whole number of days from ${least} to ${mostYears * YEAR_DAYS}`,
    least,
    mostYears * YEAR_DAYS,
  ).nullish();

export const retentionSchema = z.strictObject(
  {
    request_log_days: days(1, MOST_YEARS),
    // Alerts look back for up to a day, and usage is recorded at most an hour late.
    minute_sums_days: days(2, MOST_YEARS),
    hour_sums_days: days(2, MOST_YEARS),
    // The overview shows a month by default.
    ranking_days: days(31, MOST_YEARS),
    audit_days: days(1, MOST_YEARS),
    captures_days: days(1, 1),
    cache_reports_days: days(1, 10),
    tasks_days: days(1, 1),
    batches_days: days(1, 1),
    responses_days: days(1, 10),
    alerts_days: days(1, 10),
    holds_days: days(30, MOST_YEARS),
  },
  MAP,
);

type FileRetention = z.output<typeof retentionSchema>;

const FIELDS = {
  requestLogMs: 'request_log_days',
  minuteSumsMs: 'minute_sums_days',
  hourSumsMs: 'hour_sums_days',
  rankingMs: 'ranking_days',
  auditMs: 'audit_days',
  capturesMs: 'captures_days',
  cacheReportsMs: 'cache_reports_days',
  tasksMs: 'tasks_days',
  batchesMs: 'batches_days',
  responsesMs: 'responses_days',
  alertsMs: 'alerts_days',
  holdsMs: 'holds_days',
} as const satisfies Record<keyof RetentionSettings, keyof FileRetention>;

export function retentionFrom(retention: FileRetention): RetentionSettings {
  const kept = (name: keyof RetentionSettings) => {
    const stated = retention[FIELDS[name]] ?? null;
    return stated === null ? DEFAULT_RETENTION[name] : stated * DAY_MS;
  };
  const names = Object.keys(FIELDS) as (keyof RetentionSettings)[]; // The names in its type.
  return Object.fromEntries(names.map((name) => [name, kept(name)])) as Record<keyof RetentionSettings, number>;
}

/** Returns the same settings in the form of a configuration file. */
export function retentionFields(settings: RetentionSettings) {
  return Object.fromEntries(
    Object.entries(FIELDS).map(([name, field]) => [field, settings[name as keyof RetentionSettings] / DAY_MS]),
  );
}

/** Where periods were before they had a section of their own: section, map within it, field, and its name here. */
const EARLIER_PLACES: readonly (readonly [section: string, map: string | null, field: string, name: string])[] = [
  ['captures', null, 'keep_days', 'captures_days'],
  ['tasks', null, 'keep_days', 'tasks_days'],
  ['cache', 'feedback', 'keep_reports_days', 'cache_reports_days'],
];

/**
 * Returns a file's sections with the retention periods moved from their earlier places to `retention`. If both places have a period, the
 * one in `retention` applies.
 */
export function withRetentionMoved(sections: unknown): unknown {
  if (!isMap(sections)) return sections;
  let moved: Record<string, unknown> = sections;
  for (const [section, map, field, name] of EARLIER_PLACES) {
    const outer: unknown = moved[section];
    const holder: unknown = map === null ? outer : isMap(outer) ? outer[map] : null;
    const retention: unknown = moved.retention ?? {};
    if (!isMap(outer) || !isMap(holder) || !(field in holder) || !isMap(retention)) continue;
    const { [field]: value, ...others } = holder;
    const { [section]: _section, ...rest } = moved;
    const left = map === null ? others : { ...outer, [map]: others };
    // A section that has become empty is removed.
    const kept = section === 'captures' && Object.keys(left).length === 0 ? {} : { [section]: left };
    moved = { ...rest, ...kept, retention: { [name]: value, ...retention } };
  }
  return moved;
}
