import { Readable } from 'node:stream';
import type { ClickHouseClient } from '@clickhouse/client';
import { describeError } from '../../domain/text/describe-error.ts';
import type { ExportBatch, ExportDestination, ExportTable } from '../../engine/ports/export-destination.ts';
import { EXPORT_COLUMNS } from '../../engine/request-export/columns.ts';
import { identifier } from './clickhouse-schema.ts';
import { ParquetBatch } from './parquet-batch.ts';
import { ParquetFile } from './parquet-file.ts';
import { ParquetThread } from './parquet-thread.ts';

const REQUEST_MS = 120_000;

interface ClickHouseOptions {
  readonly exportId: string;
  readonly table: ExportTable;
  /** The name and version of the program. */
  readonly writtenBy: string;
}

/**
 * Inserts lines into a table of ClickHouse through its HTTP interface, a Parquet file for each batch: its types are exact, and it is encoded
 * outside of the main thread. A batch that is sent again has the same deduplication token; beyond ClickHouse's window of tokens, the table
 * replaces lines with the same request id.
 */
export class ClickHouseDestination implements ExportDestination {
  private readonly thread: ParquetThread;
  private opened: Promise<ClickHouseClient> | null = null;

  constructor(private readonly options: ClickHouseOptions) {
    this.thread = new ParquetThread(options.writtenBy);
  }

  open(): ExportBatch {
    return new ParquetBatch({
      thread: this.thread,
      partOf: () => '',
      send: ({ name, bytes }) => this.insert(bytes, `${this.options.exportId}-${name}`),
    });
  }

  async check(): Promise<readonly string[]> {
    try {
      const missing = await this.missingColumns();
      if (missing.length > 0) {
        return [
          `the table lacks the columns ${missing.join(', ')}: add them as in "switchyard export schema clickhouse", or create the table again`,
        ];
      }
      // Without rows, it only shows whether the user may insert.
      await this.insert(emptyFile(this.options.writtenBy), `probe-${crypto.randomUUID()}`);
      return [];
    } catch (error) {
      const { error: reason } = describeError(error);
      const advice =
        'check url, database, user and password; create the table with "switchyard export schema clickhouse"';
      return [`the table cannot be used (${reason}): ${advice}`];
    }
  }

  async close(): Promise<void> {
    await this.thread.close();
    await (await this.opened)?.close();
  }

  private async missingColumns(): Promise<readonly string[]> {
    const { table } = this.options;
    const client = await this.client();
    const found = await client.query({
      query: `DESCRIBE TABLE ${identifier(table.database)}.${identifier(table.table)}`,
      format: 'JSONEachRow',
    });
    const names = new Set((await found.json<{ readonly name: string }>()).map(({ name }) => name));
    return EXPORT_COLUMNS.map(({ name }) => name).filter((name) => !names.has(name));
  }

  private async insert(file: Uint8Array<ArrayBuffer>, token: string): Promise<void> {
    const client = await this.client();
    const { response_headers: headers } = await client.insert({
      table: identifier(this.options.table.table),
      columns: NAMES,
      values: Readable.from([file], { objectMode: false }),
      format: 'Parquet',
      clickhouse_settings: {
        insert_deduplication_token: token,
        insert_deduplicate: 1,
        async_insert: 0,
        wait_end_of_query: 1,
      },
    });
    refuseOtherServer(headers);
  }

  /** Loads the library only when an export needs it. */
  private client(): Promise<ClickHouseClient> {
    const { url, database, user, password } = this.options.table;
    this.opened ??= import('@clickhouse/client').then(({ createClient }) =>
      createClient({
        ...{ url, database, username: user, password, application: this.options.writtenBy },
        request_timeout: REQUEST_MS,
        max_open_connections: 1,
        // Its own log would print to the terminal; errors are thrown as well.
        log: { level: 127 },
      }),
    );
    return this.opened;
  }
}

/** ClickHouse names itself in each response. A proxy or a web server that accepts everything must not be taken for it. */
function refuseOtherServer(headers: Readonly<Record<string, unknown>>): void {
  if (Object.keys(headers).some((name) => name.startsWith('x-clickhouse-'))) return;
  throw new Error('the address accepted the rows, but is not the HTTP interface of ClickHouse');
}

function emptyFile(writtenBy: string): Uint8Array<ArrayBuffer> {
  const file = new ParquetFile(writtenBy);
  file.finish();
  return file.take();
}

/** At least one, as the library's type requires. */
const NAMES = EXPORT_COLUMNS.map(({ name }) => name) as [string, ...string[]];
