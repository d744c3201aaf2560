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

/**
 * Replaces characters with which a text from a file or an API could move the terminal's cursor or reverse the order of its surroundings.
 */
export function printable(cell: string): string {
  return cell.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '�');
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
