import { zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import {
  type ColumnKind,
  EXPORT_COLUMNS,
  EXPORT_SCHEMA_VERSION,
  type ExportPairs,
  type ExportValue,
} from '../../engine/request-export/columns.ts';
import { parquetSchema } from './parquet-schema.ts';

/** Enough rows to compress well; more would only take more memory. */
export const ROW_GROUP_ROWS = 10_000;
const COMPRESSORS = { ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes) };
const SCHEMA = parquetSchema();

/** The values of some lines by column, in the order of `EXPORT_COLUMNS`. */
export type ColumnValues = readonly (readonly ExportValue[])[];

/** A Parquet file in memory, written by groups of rows, so that only the compressed bytes and one group of rows are held. */
export class ParquetFile {
  private readonly bytes = new ByteWriter();
  private readonly writer: ParquetWriter;
  private columns = EXPORT_COLUMNS.map((): unknown[] => []);

  constructor(writtenBy: string) {
    this.writer = new ParquetWriter({
      writer: this.bytes,
      schema: SCHEMA,
      codec: 'ZSTD',
      compressors: COMPRESSORS,
      createdBy: writtenBy,
      kvMetadata: [{ key: 'switchyard.schema_version', value: String(EXPORT_SCHEMA_VERSION) }],
    });
  }

  /** The size of the complete groups in bytes. */
  get size(): number {
    return this.bytes.offset;
  }

  add(values: ColumnValues): void {
    for (const [index, { kind }] of EXPORT_COLUMNS.entries()) {
      const column = this.columns[index];
      for (const value of values[index] ?? []) column?.push(parquetValue(kind, value));
    }
    if (this.pending >= ROW_GROUP_ROWS) this.writeGroup();
  }

  /** The number of rows that are not in a complete group. */
  get pending(): number {
    return this.columns[0]?.length ?? 0;
  }

  /** Completes the file. Nothing can be added afterwards. */
  finish(): void {
    this.writeGroup();
    this.writer.finish();
  }

  /** Returns the bytes that were not taken yet, and no longer holds them. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = new Uint8Array(this.bytes.getBuffer());
    this.bytes.index = 0;
    return taken;
  }

  /** Completes the group of rows. */
  writeGroup(): void {
    if (this.pending === 0) return;
    const columnData = EXPORT_COLUMNS.map(({ name }, index) => ({ name, data: this.columns[index] ?? [] }));
    this.writer.write({ columnData, rowGroupSize: this.pending });
    this.columns = EXPORT_COLUMNS.map(() => []);
  }
}

/** Returns the value as the writer takes it. The kind determines the type of the value (`columnsOf`). */
function parquetValue(kind: ColumnKind, value: ExportValue): unknown {
  if (value === null) return null;
  if (kind === 'integer') return BigInt(value as number);
  if (kind === 'time') return BigInt(Math.round((value as number) * 1_000));
  if (kind !== 'amounts') return value;
  return (value as ExportPairs).map((pair) => ({ key: pair.key, value: BigInt(pair.value) }));
}
