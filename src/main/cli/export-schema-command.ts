import { type Command, InvalidArgumentError } from 'commander';
import { EXPORT_COLUMNS } from '../../engine/request-export/columns.ts';
import { athenaTable } from '../../stores/exports/athena-schema.ts';
import { clickHouseTable } from '../../stores/exports/clickhouse-schema.ts';
import type { CommandSetup } from './context.ts';

interface SchemaOptions {
  readonly database: string;
  readonly table: string;
  readonly ttlDays?: number;
}

/** Adds `switchyard export schema`: what the destinations of the section `exports` need. */
export function addSchemaCommand(exported: Command, { dependencies: { stdout } }: CommandSetup): void {
  const schema = exported.command('schema').description('print the columns of continuous exports (section exports)');
  schema
    .command('clickhouse')
    .description('print the statement that creates the table in ClickHouse')
    .option('--database <name>', 'database of the table', named, 'default')
    .option('--table <name>', 'name of the table', named, 'switchyard_requests')
    .option('--ttl-days <days>', 'days after which ClickHouse deletes a line (never)', days)
    .addHelpText('after', '\nExample:\n  switchyard export schema clickhouse --ttl-days 400 | clickhouse-client')
    .action(({ database, table, ttlDays }: SchemaOptions) => {
      stdout.write(clickHouseTable({ database, table, ttlDays: ttlDays ?? null }));
    });
  schema
    .command('athena')
    .description('print the statement that creates a table over the files of an S3 export in Amazon Athena')
    .requiredOption('--location <address>', 'bucket and prefix, such as s3://acme-analytics/switchyard/', location)
    .option('--table <name>', 'name of the table', named, 'switchyard_requests')
    .option('--since <day>', 'first day that is queried', day, '2026-11-01')
    .action(({ location: place, table, since }: Record<'location' | 'table' | 'since', string>) => {
      stdout.write(athenaTable(table, place, since));
    });
  schema
    .command('columns')
    .description('print every column with its meaning, as tab-separated lines')
    .action(() => {
      for (const { name, kind, isNullable, about } of EXPORT_COLUMNS) {
        stdout.write(`${name}\t${kind}\t${isNullable ? 'may be missing' : 'always'}\t${about}\n`);
      }
    });
}

function named(text: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be 1 to 64 letters, digits and "_".');
}

function location(text: string): string {
  if (/^s3:\/\/[A-Za-z0-9][\w.-]{1,254}\/(?:[\w./-]{1,200}\/)?$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a bucket with a prefix, such as s3://acme-analytics/switchyard/.');
}

function day(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a day such as 2026-11-01.');
}

function days(text: string): number {
  if (/^[1-9][0-9]{0,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number of days from 1 to 99999.');
}
