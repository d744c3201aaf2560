/** What a spreadsheet takes for the beginning of a formula, also in full width or after a tab or a line's end. */
const FORMULA = /^[\t\r\n]*[=+\-@＝＋－＠]|^[\t\r]/u;
/** Also money, which is written as text: `-0.25` is no formula. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

/**
 * One line of a CSV file (RFC 4180) with its CRLF. Text that a spreadsheet would run as a formula gets an apostrophe before it: much of
 * what is exported (names, tags) was written by someone other than who opens the file. `null` is an empty cell.
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
