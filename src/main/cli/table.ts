/** Columns as wide as their widest cell, two spaces apart, under their headings; without trailing spaces. */
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

/** A name from a file or an API must not move the terminal's cursor. */
export function printable(cell: string): string {
  return cell.replace(/\p{Cc}/gu, '�');
}
