import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { memo, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { ApiError } from '../api/client.ts';
import { kitText } from '../text/kit.ts';
import { useText } from '../text/text.tsx';
import { ErrorBox, Skeleton } from './status.tsx';
import { isShown, useWidth, type Width } from './width.ts';

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  /** Renders a cell on one line; longer content is truncated. */
  readonly cell: (row: Row) => ReactNode;
  /** Aligns numbers at the end of the column. */
  readonly align?: 'end';
  /** A CSS grid track, such as `minmax(8rem, 2fr)` or `7rem`; `minmax(6rem, 1fr)` by default. */
  readonly width?: string;
  /** Hides the column in narrower windows. */
  readonly from?: Width;
  /** Makes the column sortable. Only for complete lists. */
  readonly sortBy?: (row: Row) => string | number | null;
  /** Makes the column sortable by the server, first in this direction. The table needs `onSort`. */
  readonly sort?: 'asc' | 'desc';
}

/** The rows of a table: a `Listed` of `useList`, or an array. */
export interface TableRows<Row> {
  readonly items: readonly Row[];
  readonly isLoading?: boolean;
  readonly error?: ApiError | null;
  readonly hasMore?: boolean;
  readonly isLoadingMore?: boolean;
  loadMore?(): void;
  refetch?(): void;
}

interface DataTableProps<Row> {
  /** A description of the rows for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: TableRows<Row>;
  readonly keyOf: (row: Row) => string;
  /** Shown if there are no rows. */
  readonly empty: ReactNode;
  /** Called for the chosen row; the first column is its button. */
  readonly onOpen?: (row: Row) => void;
  /** The row whose details are open. */
  readonly openKey?: string | undefined;
  /** In pixels. */
  readonly rowHeight?: number;
  /** How the server has sorted the rows. */
  readonly sorting?: Sorting | null;
  readonly onSort?: (sorting: Sorting | null) => void;
}

/** The order of the rows by a column. */
export interface Sorting {
  readonly id: string;
  readonly isDown: boolean;
}

const ROW_HEIGHT = 40;
/** How many rows before the end the next page is read. */
const AHEAD = 30;
const WAITING_ROWS = ['one', 'two', 'three', 'four', 'five', 'six'];

/** A table that stays smooth with 100,000 rows: it renders only visible rows, and reads further pages on scrolling. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, empty, onSort } = props;
  const reached = useWidth();
  const [ownSorting, setOwnSorting] = useState<Sorting | null>(null);
  const sorting = onSort === undefined ? ownSorting : (props.sorting ?? null);
  const shown = columns.filter(({ from }) => isShown(from, reached));
  const items = useSorted(rows.items, columns, sorting);
  const tracks = shown.map(({ width }) => width ?? 'minmax(6rem, 1fr)').join(' ');
  if (rows.error) return <ErrorBox error={rows.error} {...(rows.refetch && { onRetry: rows.refetch })} />;
  if (rows.isLoading === true) return <Waiting />;
  if (items.length === 0 && rows.hasMore !== true) return empty;
  return (
    <div className="overflow-x-auto rounded-lg border border-line bg-panel">
      {/* biome-ignore lint/a11y/useSemanticElements: rows that are not seen are not there, and columns share the tracks of a grid. */}
      <div role="table" aria-label={label} aria-rowcount={rows.hasMore === true ? -1 : items.length + 1}>
        <Head columns={shown} tracks={tracks} sorting={sorting} onSort={onSort ?? setOwnSorting} />
        <Body {...props} columns={shown} tracks={tracks} items={items} />
      </div>
    </div>
  );
}

function useSorted<Row>(items: readonly Row[], columns: readonly Column<Row>[], sorting: Sorting | null) {
  return useMemo(() => {
    const sortBy = columns.find(({ id }) => id === sorting?.id)?.sortBy;
    if (sortBy === undefined) return items;
    const direction = sorting?.isDown === true ? -1 : 1;
    const compare = new Intl.Collator(undefined, { numeric: true }).compare;
    const keyed = items.map((row) => ({ row, key: sortBy(row) }));
    keyed.sort(({ key: one }, { key: other }) => {
      // Rows without a value are last in either direction.
      if (one === null || other === null) return Number(one === null) - Number(other === null);
      const order = typeof one === 'number' && typeof other === 'number' ? one - other : compare(`${one}`, `${other}`);
      return direction * order;
    });
    return keyed.map(({ row }) => row);
  }, [items, columns, sorting]);
}

interface HeadProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly tracks: string;
  readonly sorting: Sorting | null;
  readonly onSort: (sorting: Sorting | null) => void;
}

const ROW = 'grid items-center gap-x-3 px-3 sm:gap-x-4 sm:px-4';
const CELL = 'min-w-0 truncate';

function Head<Row>({ columns, tracks, sorting, onSort }: HeadProps<Row>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the table.
    // biome-ignore lint/a11y/useFocusableInteractive: a row of headers is not interactive.
    <div
      role="row"
      className={`${ROW} border-b border-line py-2 text-sm text-soft`}
      style={{ gridTemplateColumns: tracks }}
    >
      {columns.map(({ id, title, align, sortBy, sort }) => {
        const direction = sorting?.id === id ? (sorting.isDown ? 'descending' : 'ascending') : undefined;
        const end = align === 'end' ? 'text-end' : '';
        return (
          // biome-ignore lint/a11y/useSemanticElements: see the table.
          // biome-ignore lint/a11y/useFocusableInteractive: the button in it is what can be focused.
          <div key={id} role="columnheader" aria-sort={direction} className={`${CELL} font-medium ${end}`}>
            {sortBy === undefined && sort === undefined ? (
              title
            ) : (
              <button
                type="button"
                className="inline-flex min-h-6 items-center gap-1 hover:text-text"
                onClick={() => onSort(nextSorting(id, sorting, sort))}
              >
                {title}
                {direction === 'ascending' && <ArrowUp size={14} aria-hidden />}
                {direction === 'descending' && <ArrowDown size={14} aria-hidden />}
              </button>
            )}
          </div>
        );
      })}
    </div>
  );
}

/** Cycles through both directions and unsorted. */
function nextSorting(id: string, sorting: Sorting | null, first: 'asc' | 'desc' = 'asc'): Sorting | null {
  const isFirstDown = first === 'desc';
  if (sorting?.id !== id) return { id, isDown: isFirstDown };
  return sorting.isDown === isFirstDown ? { id, isDown: !isFirstDown } : null;
}

type BodyProps<Row> = DataTableProps<Row> & { readonly tracks: string; readonly items: readonly Row[] };

function Body<Row>(props: BodyProps<Row>) {
  const { columns, tracks, items, rows, rowHeight = ROW_HEIGHT, keyOf, onOpen, openKey } = props;
  const text = useText(kitText);
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  // Content above the table may grow and shrink, which moves it.
  useLayoutEffect(() => {
    const look = () => {
      const place = body.current?.getBoundingClientRect().top;
      if (place !== undefined) setTop(Math.round(place + scrollY));
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: top,
  });
  const seen = virtual.getVirtualItems();
  const last = seen.at(-1)?.index ?? 0;
  const { hasMore = false, loadMore } = rows;
  useEffect(() => {
    if (hasMore && last >= items.length - AHEAD) loadMore?.();
  }, [hasMore, last, items.length, loadMore]);
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: see the table. */}
      <div role="rowgroup" ref={body} className="relative" style={{ height: virtual.getTotalSize() }}>
        {seen.map(({ index, start }) => {
          const row = items[index];
          if (row === undefined) return null;
          const key = keyOf(row);
          const place = { height: rowHeight, y: start - top, tracks };
          const isOpen = openKey !== undefined && openKey === key;
          return <BodyRow key={key} {...{ row, index, columns, onOpen, isOpen }} {...place} />;
        })}
      </div>
      {rows.isLoadingMore === true && (
        <p role="status" className="border-t border-line px-4 py-2 text-sm text-soft">
          {text.loading}
        </p>
      )}
    </>
  );
}

interface BodyRowProps<Row> extends Pick<DataTableProps<Row>, 'columns' | 'onOpen'> {
  readonly row: Row;
  readonly index: number;
  readonly isOpen: boolean;
  /** In pixels. */
  readonly height: number;
  readonly y: number;
  readonly tracks: string;
}

/** Memoized: a scrolled table keeps most of its rows. */
const BodyRow = memo(PlainRow) as typeof PlainRow;

function PlainRow<Row>({ row, index, columns, onOpen, isOpen, height, y, tracks }: BodyRowProps<Row>) {
  const ground = `${isOpen ? 'bg-accent-ground' : ''} ${onOpen ? 'hover:bg-hover' : ''}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the table.
    // biome-ignore lint/a11y/useFocusableInteractive: the button in it is what can be focused.
    <div
      role="row"
      aria-rowindex={index + 2}
      className={`${ROW} absolute inset-x-0 top-0 border-b border-line last:border-b-0 ${ground}`}
      style={{ height, transform: `translateY(${y}px)`, gridTemplateColumns: tracks }}
    >
      {columns.map(({ id, cell, align }, place) => (
        // biome-ignore lint/a11y/useSemanticElements: see the table.
        <div key={id} role="cell" className={`${CELL} ${align === 'end' ? 'text-end numbers' : ''}`}>
          {place === 0 && onOpen ? (
            // Its area is the whole row; other controls in the row are above it (class `above-row`).
            <button
              type="button"
              className="block max-w-full truncate text-start font-medium after:absolute after:inset-0"
              onClick={() => onOpen(row)}
            >
              {cell(row)}
            </button>
          ) : (
            cell(row)
          )}
        </div>
      ))}
    </div>
  );
}

function Waiting() {
  const text = useText(kitText);
  return (
    <div
      role="status"
      aria-label={text.loading}
      className="space-y-px overflow-hidden rounded-lg border border-line bg-panel p-4"
    >
      {WAITING_ROWS.map((row) => (
        <Skeleton key={row} className="my-2 h-6 w-full" />
      ))}
    </div>
  );
}
