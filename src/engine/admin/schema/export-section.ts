import { z } from 'zod';
import { flag, integer, listOf, MAP, oneOf, text } from '../../../providers/shared/file-fields.ts';
import {
  DEFAULT_EXPORTS,
  type ExportSettings,
  type ExportsSettings,
  type ExportTable,
} from '../../ports/export-destination.ts';
import type { Problem } from '../admin-error.ts';
import { bucketFrom, s3Schema } from './settings.ts';
import { duplicates, field, list, text as textOf } from './unchecked.ts';

const MOST_EXPORTS = 10;
const DAY_MS = 86_400_000;
const MIB = 1024 * 1024;
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const URL_RULE =
  'must be the address of the HTTP interface such as "https://clickhouse.example.com:8443", without user and query';

const { endpoint } = s3Schema.shape;
const bucketSchema = s3Schema.omit({ links: true, public_endpoint: true }).extend({
  // Operators see it as the place of the export.
  endpoint: endpoint.refine((value) => !value?.includes('@'), {
    error: 'must be an address without user and password: use access_key_id and secret_access_key',
  }),
});

const tableSchema = z.strictObject(
  {
    url: z
      .string({ error: URL_RULE })
      .refine((value) => URL.canParse(value) && /^https?:\/\/[^?#@\s"<>]{1,500}$/.test(value), {
        error: URL_RULE,
      }),
    database: text('must be 1 to 64 letters, digits and "_"', NAME).nullish(),
    table: text('must be 1 to 64 letters, digits and "_"', NAME).nullish(),
    user: text('must be 1 to 200 characters without spaces', /^[\x21-\x7e]{1,200}$/).nullish(),
    password: text('must be 1 to 1000 characters without line ends', /^[^\p{Cc}]{1,1000}$/u).nullish(),
  },
  MAP,
);

const targetSchema = z
  .strictObject(
    {
      id: text('must be 1 to 40 lower-case letters, digits and "-"', /^[a-z0-9][a-z0-9-]{0,39}$/),
      s3: bucketSchema.nullish(),
      clickhouse: tableSchema.nullish(),
      names: flag.nullish(),
      start: oneOf(['oldest', 'now']).nullish(),
      interval_seconds: integer('must be a whole number of seconds from 1 to 86400', 1, 86_400).nullish(),
      max_rows: integer('must be a whole number from 100 to 1000000', 100, 1_000_000).nullish(),
      max_mb: integer('must be a whole number of MiB from 1 to 512', 1, 512).nullish(),
    },
    MAP,
  )
  .superRefine(({ s3, clickhouse }, context) => {
    if ((s3 == null) === (clickhouse == null)) {
      context.addIssue({
        code: 'custom',
        path: ['id'],
        message: 'needs either s3 or clickhouse: the place of the export',
      });
    }
  });

export const exportsSchema = z.strictObject(
  {
    hold_days: integer('must be a whole number of days from 0 to 365', 0, 365).nullish(),
    targets: listOf(targetSchema, 'exports', MOST_EXPORTS).nullish(),
  },
  MAP,
);

export const EXPORT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  exports: Object.keys(exportsSchema.shape),
  'exports.targets': Object.keys(targetSchema.shape),
  'exports.targets.s3': Object.keys(bucketSchema.shape),
  'exports.targets.clickhouse': Object.keys(tableSchema.shape),
};

export function exportsFrom(section: z.output<typeof exportsSchema>): ExportsSettings {
  return {
    holdMs: section.hold_days == null ? DEFAULT_EXPORTS.holdMs : section.hold_days * DAY_MS,
    targets: (section.targets ?? []).map(targetFrom),
  };
}

/** Few large files suit query engines; ClickHouse merges small inserts itself, so lines need not wait. */
const USUAL = {
  s3: { intervalMs: 300_000, maxRows: 250_000 },
  clickhouse: { intervalMs: 10_000, maxRows: 50_000 },
} as const;
const USUAL_BYTES = 64 * MIB;

function targetFrom(target: z.output<typeof targetSchema>): ExportSettings {
  const to = placeFrom(target);
  return {
    id: target.id,
    to,
    names: target.names ?? false,
    start: target.start ?? 'oldest',
    intervalMs: target.interval_seconds == null ? USUAL[to.kind].intervalMs : target.interval_seconds * 1_000,
    maxRows: target.max_rows ?? USUAL[to.kind].maxRows,
    maxBytes: target.max_mb == null ? USUAL_BYTES : target.max_mb * MIB,
  };
}

function placeFrom({ s3, clickhouse }: z.output<typeof targetSchema>): ExportSettings['to'] {
  if (s3 != null) return { kind: 's3', bucket: bucketFrom(s3) };
  if (clickhouse != null) return { kind: 'clickhouse', table: tableFrom(clickhouse) };
  throw new Error('the schema requires a place');
}

function tableFrom(table: z.output<typeof tableSchema>): ExportTable {
  return {
    url: table.url,
    database: table.database ?? 'default',
    table: table.table ?? 'switchyard_requests',
    user: table.user ?? 'default',
    password: table.password ?? '',
  };
}

/** Returns the problems that no single field of the section shows. */
export function exportsProblems(configuration: unknown): Problem[] {
  const targets = list(field(field(configuration, 'exports'), 'targets'));
  return duplicates(targets.map((target, at) => [['exports', 'targets', at, 'id'], textOf(target, 'id')]));
}
