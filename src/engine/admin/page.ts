import { AdminError } from './admin-error.ts';

export interface PageRequest {
  /** How many at most, from 1 to 1000; 50 by default. */
  readonly limit?: number | undefined;
  /** The `next` of the page before; without it the list begins. */
  readonly after?: string | null | undefined;
}

/** A part of a list that may be long. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** What to ask the next page with; `null` where there is none. Only to be handed back as it is. */
  readonly next: string | null;
  /** Makes the `next` of a page that ends with this item; absent where a page cannot end earlier than it was read. */
  readonly cursorAfter?: (index: number) => string;
}

const USUAL_LIMIT = 50;
export const LARGEST_PAGE = 1_000;

/** Throws `AdminError`. */
export function limitOf({ limit = USUAL_LIMIT }: PageRequest): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= LARGEST_PAGE) return limit;
  throw new AdminError('invalid_value', 'limit', `must be a whole number from 1 to ${LARGEST_PAGE}`);
}

/** The place at which a page begins: so many texts. Throws `AdminError` for what no page gave. */
export function placeAfter({ after }: PageRequest, parts: number): readonly string[] | null {
  if (after == null) return null;
  const place = decoded(after);
  if (Array.isArray(place) && place.length === parts && place.every((part) => typeof part === 'string')) return place;
  throw new AdminError('invalid_value', 'after', 'must be the "next" of an earlier page of the same list');
}

/** The same where the parts are whole numbers. Throws `AdminError`. */
export function numbersAfter(request: PageRequest, parts: number): readonly number[] | null {
  const place = placeAfter(request, parts)?.map(Number) ?? null;
  if (place === null || place.every((part) => Number.isSafeInteger(part))) return place;
  throw new AdminError('invalid_value', 'after', 'must be the "next" of an earlier page of the same list');
}

function decoded(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor.slice(0, 2_000), 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}

/** A page of rows of which one more than the limit was asked for, where there are as many. */
export function pageOf<Row>(rows: readonly Row[], limit: number, placeOf: (row: Row) => readonly string[]): Page<Row> {
  const items = rows.slice(0, limit);
  const cursorAfter = (index: number) => cursorOf(placeOf(items[index] as Row));
  return { items, cursorAfter, next: rows.length <= limit || limit === 0 ? null : cursorAfter(limit - 1) };
}

/** The `next` of a page that goes on after this place. */
export function cursorOf(place: readonly string[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** The whole list, page by page, for a person who has asked for all of it. */
export async function allItems<Item>(list: (request: PageRequest) => Promise<Page<Item>>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let after: string | null = null; ; ) {
    const page: Page<Item> = await list({ after, limit: LARGEST_PAGE });
    items.push(...page.items);
    if (page.next === null) return items;
    after = page.next;
  }
}
