import { z } from 'zod';
import { LARGEST_PAGE, limitOf, type Page, type PageRequest } from '../../engine/admin/page.ts';

/** The query parameters of every list. */
export const pageQuery = z.strictObject({
  limit: z
    .string()
    .regex(/^\d{1,4}$/, { error: `must be a whole number from 1 to ${LARGEST_PAGE}` })
    .transform(Number)
    .optional()
    .meta({
      type: 'integer',
      minimum: 1,
      maximum: LARGEST_PAGE,
      description: 'The most items per page. The default is 50. A page also ends at about 1 MiB.',
    }),
  after: z.string().optional().meta({ description: 'The `next` of the previous page. Omit it for the first page.' }),
});

/** The direction of a sorted list. */
export const SORT_ORDER = z.enum(['asc', 'desc']).optional().meta({
  description: 'The default is `asc` for names and addresses, and `desc` for amounts and times.',
});

export const accountQuery = z.strictObject({
  account_id: z.string().optional().meta({
    description:
      'The account. The default is the token’s own account, or the only account of a person; for operators, lists cover all accounts.',
  }),
});

/** Describes a page of a list, and how to get the next page; complete lists are never sent. */
export function listSchema<Item extends z.ZodType>(item: Item) {
  return z.object({
    object: z.literal('list'),
    data: z.array(item),
    has_more: z.boolean(),
    next: z.string().nullable().meta({ description: 'The `after` of the next page. `null` on the last page.' }),
  });
}

/** The view of items that are views already. */
export function same<View>(view: View): View {
  return view;
}

/** A page, which is serialized object by object. */
interface ListAnswer<View> {
  readonly body:
    | string
    | {
        readonly object: 'list';
        readonly data: readonly View[];
        readonly has_more: boolean;
        readonly next: string | null;
      };
}

/** A page ends with the object that reaches this size. */
export const MOST_PAGE_BYTES = 1024 * 1024;

/** Returns a page of rows that are already in memory, up to the byte limit of a page. */
export function pageAnswer<Item, View extends object>(page: Page<Item>, view: (item: Item) => View): ListAnswer<View> {
  const text = new PageText();
  return text.answer(text.add(page, view));
}

/**
 * Returns a page of a list that is read in chunks, so that rows beyond a page's byte limit are not read. `read` may return fewer rows than
 * requested with a `next`; the page then ends there.
 */
export async function listAnswer<Item, View extends object>(
  request: PageRequest,
  read: (request: PageRequest) => Promise<Page<Item>>,
  view: (item: Item) => View,
): Promise<ListAnswer<View>> {
  const limit = limitOf(request);
  const chunk = new ChunkRows();
  const text = new PageText();
  for (let after = request.after; ; ) {
    const rows = Math.min(limit - text.count, chunk.next(MOST_PAGE_BYTES - text.bytes));
    const page = await read({ after, limit: rows });
    const before = text.bytes;
    const next = text.add(page, view);
    chunk.add(page.items.length, text.bytes - before);
    const isDone = next === null || page.items.length < rows || text.count >= limit || text.bytes >= MOST_PAGE_BYTES;
    if (isDone) return text.answer(next);
    after = next;
  }
}

/** Serializes the objects of a page one by one. */
class PageText {
  private readonly objects: string[] = [];
  bytes = 0;

  get count(): number {
    return this.objects.length;
  }

  /** Adds objects until the page is full. Returns the cursor of what follows them. */
  add<Item>({ items, next, cursorAfter }: Page<Item>, view: (item: Item) => object): string | null {
    for (const [index, item] of items.entries()) {
      const object = JSON.stringify(view(item));
      this.objects.push(object);
      this.bytes += Buffer.byteLength(object);
      const isLast = index === items.length - 1;
      if (!isLast && cursorAfter !== undefined && this.bytes >= MOST_PAGE_BYTES) return cursorAfter(index);
    }
    return next;
  }

  answer(next: string | null): { readonly body: string } {
    const end = `"has_more":${next !== null},"next":${JSON.stringify(next)}`;
    return { body: `{"object":"list","data":[${this.objects.join(',')}],${end}}` };
  }
}

/** The size of the first rows is unknown; one with an object of the largest size has some hundred KB. */
const FIRST_ROWS = 5;
const MOST_ROWS = 100;
/** Rows after many small ones may be large, so the next chunk is at most this many times as long. */
const GROWTH = 10;

/** Decides how many rows of a list to read at a time, so that a chunk takes about the desired number of bytes. */
export class ChunkRows {
  private rows = 0;
  private bytes = 0;
  private latest = 0;

  /** Records the size of the rows that were read last. */
  add(rows: number, bytes: number): void {
    this.rows += rows;
    this.bytes += bytes;
  }

  next(wantedBytes: number): number {
    this.latest = this.rows === 0 ? FIRST_ROWS : this.fitting(wantedBytes);
    return this.latest;
  }

  private fitting(wantedBytes: number): number {
    const rows = Math.floor((wantedBytes * this.rows) / Math.max(1, this.bytes));
    return Math.max(1, Math.min(rows, this.latest * GROWTH, MOST_ROWS));
  }
}
