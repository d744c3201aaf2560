/** Prefixes that a spreadsheet treats as a formula, including full-width forms and those after a tab or a line break. */
const FORMULA = /^[\t\r\n]*[=+\-@＝＋－＠]|^[\t\r]/u;
/** Amounts of money are text, too: `-0.25` is not a formula. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

/**
 * Returns one line of a CSV file (RFC 4180) with its CRLF. Text that a spreadsheet would run as a formula is prefixed with an apostrophe:
 * much of what is exported (names, tags) was written by others than the reader of the file. `null` is an empty cell.
 */
export function csvRow(cells: readonly (string | number | null)[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
