import { fit, type Paint, type Style } from '../remote/words.ts';

/** A column of a table on the screen. */
export interface Column<Row> {
  readonly title: string;
  /** The least width; the first column also gets what is left. */
  readonly width: number;
  /** Columns with a higher number are left out first if the screen is too narrow. */
  readonly rank: number;
  readonly side?: 'left' | 'right';
  readonly text: (row: Row) => string;
  readonly style?: (row: Row) => Style | null;
}

/** Returns the heading and the rows, each of at most `width` columns. */
export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
  paint: Paint,
): readonly string[] {
  const shown = fitting(columns, width);
  const used = shown.reduce((sum, column) => sum + column.width + 1, -1);
  const widths = shown.map((column, index) => column.width + (index === 0 ? Math.max(0, width - used) : 0));
  const line = (text: (column: Column<Row>, columns: number) => string) =>
    shown.map((column, index) => text(column, Math.min(widths[index] ?? 0, width))).join(' ');
  return [
    paint(
      'bold',
      line((column, room) => fit(column.title, room, column.side)),
    ),
    ...rows.map((row) =>
      line((column, room) => {
        const cell = fit(column.text(row), room, column.side);
        const style = column.style?.(row) ?? null;
        return style === null ? cell : paint(style, cell);
      }),
    ),
  ];
}

/** Leaves out the least important columns until the others fit; the first one always stays. */
function fitting<Row>(columns: readonly Column<Row>[], width: number): readonly Column<Row>[] {
  let shown = columns;
  while (shown.length > 1 && shown.reduce((sum, column) => sum + column.width + 1, -1) > width) {
    const least = Math.max(...shown.slice(1).map(({ rank }) => rank));
    shown = shown.filter((column, index) => index === 0 || column.rank !== least);
  }
  return shown;
}
