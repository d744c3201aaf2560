import type { SortPlace } from '../ports/list-store.ts';
import { AdminError } from './admin-error.ts';

export interface PageRequest {
  /** The largest number of items, from 1 to 1000; 50 by default. */
  readonly limit?: number | undefined;
  /** The `next` of the previous page; if absent, the list starts at its beginning. */
  readonly after?: string | null | undefined;
}

/** A part of a list that may be long. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The `after` of the next page; `null` if this is the last one. Opaque to clients. */
  readonly next: string | null;
  /** Returns the `next` of a page that ends with this item; absent if a page cannot end earlier than it was read. */
  readonly cursorAfter?: (index: number) => string;
}

const USUAL_LIMIT = 50;
export const LARGEST_PAGE = 1_000;

/** Returns the page's limit. Throws `AdminError` for an invalid one. */
export function limitOf({ limit = USUAL_LIMIT }: PageRequest): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= LARGEST_PAGE) return limit;
  throw new AdminError('invalid_value', 'limit', `must be a whole number from 1 to ${LARGEST_PAGE}`);
}

/** Returns the place where a page begins, as `parts` texts. Throws `AdminError` for a cursor that no page has returned. */
export function placeAfter({ after }: PageRequest, parts: number): readonly string[] | null {
  if (after == null) return null;
  const place = decoded(after);
  if (Array.isArray(place) && place.length === parts && place.every((part) => typeof part === 'string')) return place;
  throw new AdminError('invalid_value', 'after', 'must be the "next" of an earlier page of the same list');
}

/** Returns the place where a page begins if its parts are whole numbers. Throws `AdminError`. */
export function numbersAfter(request: PageRequest, parts: number): readonly number[] | null {
  const place = placeAfter(request, parts)?.map(Number) ?? null;
  if (place === null || place.every((part) => Number.isSafeInteger(part))) return place;
  throw new AdminError('invalid_value', 'after', 'must be the "next" of an earlier page of the same list');
}

/** How a list is sorted. */
export interface Sorting<Name extends string> {
  readonly sort: Name;
  /** Descending by default for all but names. */
  readonly order?: 'asc' | 'desc' | undefined;
}

/** The orders by which lists are sorted as texts, ascending by default. All others are amounts and times, the largest first. */
const TEXT_SORTS: ReadonlySet<string> = new Set(['name', 'email']);
const INTEGER = /^-?\d{1,19}$/;
/** Amounts and times are 64-bit integers in the stores. */
const LARGEST_INTEGER = 2n ** 63n - 1n;

/** Returns whether a list is sorted in descending order. */
export function isDown({ sort, order }: Sorting<string>): boolean {
  return (order ?? (TEXT_SORTS.has(sort) ? 'asc' : 'desc')) === 'desc';
}

/** Returns the place where a page of a sorted list begins. Throws `AdminError` for a cursor of another list or order. */
export function sortPlaceAfter(request: PageRequest, { sort }: Sorting<string>, isText: boolean): SortPlace | null {
  const place = placeAfter(request, 3);
  if (place === null) return null;
  const [name, value = '', id = ''] = place;
  if (name === sort && isStorable(value + id) && (isText || isInteger(value))) return { value, id };
  throw new AdminError('invalid_value', 'after', 'must be the "next" of an earlier page of the same list and order');
}

/** PostgreSQL stores no NUL character and no half of a surrogate pair. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function isInteger(value: string): boolean {
  if (!INTEGER.test(value)) return false;
  const integer = BigInt(value);
  return integer <= LARGEST_INTEGER && integer >= -LARGEST_INTEGER;
}

/** Returns a page of a sorted list, whose places were read with a limit of one more than the page's. */
export function sortedPageOf<Item>(
  places: readonly SortPlace[],
  limit: number,
  sort: string,
  byId: ReadonlyMap<string, Item>,
): Page<Item> {
  const { items, next } = pageOf(places, limit, ({ value, id }) => [sort, value, id]);
  // A row that was removed between two reads is left out, so cursors follow the rows that are left.
  const left = items.flatMap((place) => {
    const item = byId.get(place.id);
    return item === undefined ? [] : [{ place, item }];
  });
  const cursorAfter = (index: number) => {
    const { value = '', id = '' } = left[index]?.place ?? {};
    return cursorOf([sort, value, id]);
  };
  return { items: left.map(({ item }) => item), next, cursorAfter };
}

function decoded(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor.slice(0, 2_000), 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}

/** Returns a page of rows that were read with a limit of one more than the page's, to find out whether another page follows. */
export function pageOf<Row>(rows: readonly Row[], limit: number, placeOf: (row: Row) => readonly string[]): Page<Row> {
  const items = rows.slice(0, limit);
  const cursorAfter = (index: number) => cursorOf(placeOf(items[index] as Row));
  return { items, cursorAfter, next: rows.length <= limit || limit === 0 ? null : cursorAfter(limit - 1) };
}

/** Returns the `next` of a page that continues after this place. */
export function cursorOf(place: readonly string[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** Resolves to the whole list, read page by page. */
export async function allItems<Item>(list: (request: PageRequest) => Promise<Page<Item>>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let after: string | null = null; ; ) {
    const page: Page<Item> = await list({ after, limit: LARGEST_PAGE });
    items.push(...page.items);
    if (page.next === null) return items;
    after = page.next;
  }
}
