/** Formats a table: columns as wide as their widest cell, two spaces apart, without trailing spaces. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings.map((heading) => heading.toUpperCase()), ...rows.map((row) => row.map(printable))];
  const widths = headings.map((_heading, column) =>
    Math.max(...lines.map((line) => Bun.stringWidth(line[column] ?? ''))),
  );
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => pad(cell, widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(width - Bun.stringWidth(cell));
}

/** Characters with which a text could move the terminal's cursor or reverse the order of its surroundings, and halves of others. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Replaces the characters of a text from a file or an API that could do harm on a terminal. */
export function printable(cell: string): string {
  return cell.replace(UNPRINTABLE, '�');
}

/** Returns the value as JSON, in which these characters are escaped. */
export function printableJson(value: unknown, indent?: number): string {
  const escaped = (character: string) =>
    character === '\n' ? character : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, null, indent).replace(UNPRINTABLE, escaped);
}

/** Formats an object with one line per member, followed by its nested members, and omits empty values. */
export function formatFields(object: object): string {
  const lines = fieldLines(object, '');
  const width = Math.max(...lines.map(([name]) => name.length)) + 2;
  return lines.map(([name, value]) => `${name.padEnd(width)}${printable(value)}`.trimEnd().concat('\n')).join('');
}

function fieldLines(object: object, prefix: string): (readonly [name: string, value: string])[] {
  return Object.entries(object).flatMap(([name, value]: [string, unknown]) => {
    const label = `${prefix}${printable(name)}`.replaceAll('_', ' ');
    if (value === null || (Array.isArray(value) && value.length === 0)) return [];
    if (typeof value === 'object') return [[label, ''] as const, ...fieldLines(value, `${prefix}  `)];
    return [[label, String(value)] as const];
  });
}
