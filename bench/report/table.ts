/** Aligns columns: the first `leftAligned` to the left, the others, which are numbers, to the right. */
export function renderTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  leftAligned: number,
): string {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const renderRow = (cells: readonly string[]) =>
    widths
      .map((width, column) => {
        const cell = cells[column] ?? '';
        return column < leftAligned ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  return [renderRow(header), rule, ...rows.map(renderRow)].join('\n');
}

/** Formats a number with `digits` decimals; a dash if it was not measured. */
export function formatNumber(value: number | undefined, digits: number): string {
  return value === undefined || !Number.isFinite(value) ? '-' : value.toFixed(digits);
}

export function formatMegabytes(bytes: number): string {
  return formatNumber(bytes / 1e6, 0);
}
