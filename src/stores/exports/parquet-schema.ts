import type { ParquetWriter } from 'hyparquet-writer';
import {
  type ColumnKind,
  EXPORT_COLUMNS,
  type ExportColumn,
  MONEY_PRECISION,
  MONEY_SCALE,
} from '../../engine/request-export/columns.ts';

/** The writer has its own version of the reader's types. */
type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];
type Repetition = 'REQUIRED' | 'OPTIONAL';

/** The elements of the Parquet schema, in depth-first order. */
export function parquetSchema(): SchemaElement[] {
  const columns = EXPORT_COLUMNS.flatMap(elementsOf);
  return [{ name: 'request', num_children: EXPORT_COLUMNS.length }, ...columns];
}

function elementsOf({ name, kind, isNullable }: ExportColumn): SchemaElement[] {
  const repetition_type = isNullable ? 'OPTIONAL' : 'REQUIRED';
  if (kind === 'texts') return mapOf(name, textElement('value', 'REQUIRED'));
  if (kind === 'amounts') return mapOf(name, { name: 'value', type: 'INT64', repetition_type: 'REQUIRED' });
  return [{ ...PLAIN[kind], name, repetition_type }];
}

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const;

const PLAIN: Readonly<Record<Exclude<ColumnKind, 'texts' | 'amounts'>, Omit<SchemaElement, 'name'>>> = {
  text: TEXT,
  word: TEXT,
  // Plain text: of the readers tried, some cannot extract members of Parquet's own JSON type.
  json: TEXT,
  flag: { type: 'BOOLEAN' },
  integer: { type: 'INT64' },
  milliseconds: { type: 'DOUBLE' },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  money: {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 16,
    converted_type: 'DECIMAL',
    precision: MONEY_PRECISION,
    scale: MONEY_SCALE,
    logical_type: { type: 'DECIMAL', precision: MONEY_PRECISION, scale: MONEY_SCALE },
  },
};

function textElement(name: string, repetition_type: Repetition): SchemaElement {
  return { ...TEXT, name, repetition_type };
}

function mapOf(name: string, value: SchemaElement): SchemaElement[] {
  return [
    { name, repetition_type: 'REQUIRED', converted_type: 'MAP', logical_type: { type: 'MAP' }, num_children: 1 },
    { name: 'key_value', repetition_type: 'REPEATED', num_children: 2 },
    textElement('key', 'REQUIRED'),
    value,
  ];
}
