import { expect, test } from 'bun:test';
import { csvRow } from './csv.ts';

test('cells are separated by commas, lines end with CRLF, and a missing value is an empty cell', () => {
  expect(csvRow(['plain', 12, null, -0.5, '', '你好 🙂'])).toBe('plain,12,,-0.5,,你好 🙂\r\n');
  expect(csvRow([])).toBe('\r\n');
});

test('quotes, commas, line ends and spaces at the ends survive', () => {
  expect(csvRow(['say "hi"', 'a,b', 'two\r\nlines', ' padded '])).toBe(
    '"say ""hi""","a,b","two\r\nlines"," padded "\r\n',
  );
});

test('text that a spreadsheet would run as a formula is escaped', () => {
  for (const text of ['=1+1', '+cmd|A1', '-2+3', '@SUM(A1)', '＝1', '-', '-1e5', '--5']) {
    expect(csvRow([text])).toBe(`'${text}\r\n`);
  }
  expect(csvRow(['\t=1', '\r\n=1', '\t1'])).toBe(`'\t=1,"'\r\n=1",'\t1\r\n`);
  expect(csvRow(['=HYPERLINK("http://x","y")'])).toBe(`"'=HYPERLINK(""http://x"",""y"")"\r\n`);
});

test('money stays a number, although it is written as text', () => {
  expect(csvRow(['-0.000001234', '-12', '3.50', '2026-01-01T00:00:00.000Z'])).toBe(
    '-0.000001234,-12,3.50,2026-01-01T00:00:00.000Z\r\n',
  );
});
