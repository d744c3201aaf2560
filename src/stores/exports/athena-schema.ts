import { type ColumnKind, EXPORT_COLUMNS, MONEY_PRECISION, MONEY_SCALE } from '../../engine/request-export/columns.ts';

const TYPES: Readonly<Record<ColumnKind, string>> = {
  text: 'string',
  word: 'string',
  json: 'string',
  flag: 'boolean',
  integer: 'bigint',
  milliseconds: 'double',
  time: 'timestamp',
  money: `decimal(${MONEY_PRECISION}, ${MONEY_SCALE})`,
  texts: 'map<string, string>',
  amounts: 'map<string, bigint>',
};

/**
 * Returns the statement that creates a table over the files of an S3 export in Amazon Athena. The folders follow from their names (partition
 * projection), so new ones need no statement.
 *
 * @param location the bucket with the prefix, such as `s3://acme-analytics/switchyard/`
 * @param since the first day that is queried, such as `2026-11-01`
 */
export function athenaTable(table: string, location: string, since: string): string {
  const columns = EXPORT_COLUMNS.map(({ name, kind }) => `  ${name} ${TYPES[kind]}`);
  return `CREATE EXTERNAL TABLE ${table} (
${columns.join(',\n')}
)
PARTITIONED BY (dt string, hour string)
STORED AS PARQUET
LOCATION '${location}'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.format' = 'yyyy-MM-dd',
  'projection.dt.range' = '${since},NOW',
  'projection.hour.type' = 'integer',
  'projection.hour.range' = '0,23',
  'projection.hour.digits' = '2',
  'storage.location.template' = '${location}dt=\${dt}/hour=\${hour}/'
);
`;
}
