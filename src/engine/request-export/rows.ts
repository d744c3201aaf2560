import type { ExportedLine, SkippedLine } from '../ports/export-destination.ts';
import { type ColumnKind, EXPORT_COLUMNS, type ExportPairs, type ExportValue, MONEY_PRECISION } from './columns.ts';

/** The values of some lines by column, in the order of `EXPORT_COLUMNS`. */
export interface ColumnarLines {
  readonly columns: readonly (readonly ExportValue[])[];
  readonly count: number;
  readonly skipped: readonly SkippedLine[];
}

const MOST_MONEY = 10n ** BigInt(MONEY_PRECISION);

/** Returns the values of the lines by column. A line with a value that no file can hold is left out. */
export function columnsOf(lines: readonly ExportedLine[]): ColumnarLines {
  const columns = EXPORT_COLUMNS.map((): ExportValue[] => []);
  const skipped: SkippedLine[] = [];
  let count = 0;
  for (const line of lines) {
    const row = rowOf(line);
    if (typeof row === 'string') {
      skipped.push({ requestId: line.record.requestId, reason: row });
      continue;
    }
    count++;
    for (const [index, value] of row.entries()) columns[index]?.push(value);
  }
  return { columns, count, skipped };
}

/** Returns the values of a line, or why it cannot be exported. */
function rowOf(line: ExportedLine): readonly ExportValue[] | string {
  const row: ExportValue[] = [];
  for (const { name, kind, isNullable, read } of EXPORT_COLUMNS) {
    const value = attempt(() => read(line));
    if (value === undefined) return `${name} cannot be read`;
    if (value === null ? !isNullable : !isOfKind(kind, value)) return `${name} is not a valid ${kind}`;
    row.push(value);
  }
  return row;
}

/** Returns `undefined` if the line is damaged so that a value cannot be computed. */
function attempt(compute: () => ExportValue): ExportValue | undefined {
  try {
    return compute();
  } catch {
    return undefined;
  }
}

function isOfKind(kind: ColumnKind, value: Exclude<ExportValue, null>): boolean {
  switch (kind) {
    case 'text':
    case 'word':
    case 'json':
      return typeof value === 'string';
    case 'flag':
      return typeof value === 'boolean';
    case 'integer':
      return Number.isSafeInteger(value);
    case 'milliseconds':
      return Number.isFinite(value);
    case 'time':
      // The range of times that all readers have.
      return typeof value === 'number' && value >= 0 && value < 253_402_300_800_000;
    case 'money':
      return typeof value === 'bigint' && value < MOST_MONEY && value > -MOST_MONEY;
    case 'texts':
      return pairsAre(value, (one) => typeof one === 'string');
    case 'amounts':
      return pairsAre(value, (one) => Number.isSafeInteger(one));
  }
}

function pairsAre(value: Exclude<ExportValue, null>, isValid: (one: string | number) => boolean): boolean {
  return Array.isArray(value) && (value as ExportPairs).every((pair) => isValid(pair.value)); // The only list.
}
