import {
  type ColumnKind,
  EXPORT_COLUMNS,
  EXPORT_SCHEMA_VERSION,
  type ExportColumn,
  MONEY_PRECISION,
  MONEY_SCALE,
} from '../../engine/request-export/columns.ts';

const TYPES: Readonly<Record<ColumnKind, string>> = {
  text: 'String',
  word: 'LowCardinality(String)',
  json: 'String',
  flag: 'Bool',
  integer: 'Int64',
  milliseconds: 'Float64',
  time: "DateTime64(6, 'UTC')",
  money: `Decimal(${MONEY_PRECISION}, ${MONEY_SCALE})`,
  texts: 'Map(String, String)',
  amounts: 'Map(String, Int64)',
};

export interface TableOptions {
  readonly database: string;
  readonly table: string;
  /** After how many days ClickHouse deletes a line; `null` for never. */
  readonly ttlDays: number | null;
}

/**
 * Returns the statement that creates the table of a ClickHouse export. Lines are sorted by request id, which begins with the time, and of
 * several lines with the same id the one with the highest `log_id` stays.
 */
export function clickHouseTable({ database, table, ttlDays }: TableOptions): string {
  const columns = EXPORT_COLUMNS.map((column) => `  ${column.name} ${typeOf(column)} COMMENT ${quoted(column.about)}`);
  const indexes = [
    '  INDEX by_time arrived_at TYPE minmax GRANULARITY 1',
    '  INDEX by_account account_id TYPE bloom_filter GRANULARITY 4',
  ];
  const ttl =
    ttlDays === null
      ? '-- TTL toDateTime(arrived_at) + INTERVAL 400 DAY'
      : `TTL toDateTime(arrived_at) + INTERVAL ${ttlDays} DAY`;
  return `CREATE TABLE IF NOT EXISTS ${identifier(database)}.${identifier(table)}
(
${[...columns, ...indexes].join(',\n')}
)
ENGINE = ReplacingMergeTree(log_id)
PARTITION BY toYYYYMM(arrived_at)
ORDER BY request_id
${ttl}
SETTINGS non_replicated_deduplication_window = 1000
COMMENT 'Requests of Switchyard, version ${EXPORT_SCHEMA_VERSION} of the columns';
`;
}

function typeOf({ kind, isNullable }: ExportColumn): string {
  if (!isNullable) return TYPES[kind];
  return kind === 'word' ? 'LowCardinality(Nullable(String))' : `Nullable(${TYPES[kind]})`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

export function identifier(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}
