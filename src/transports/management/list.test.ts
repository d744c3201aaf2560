import { expect, test } from 'bun:test';
import type { PageRequest } from '../../engine/admin/page.ts';
import { type Page, pageOf, placeAfter } from '../../engine/admin/page.ts';
import { listAnswer, MOST_PAGE_BYTES, pageAnswer } from './list.ts';

interface Row {
  readonly id: string;
  readonly text: string;
}

interface Written {
  readonly data: readonly Row[];
  readonly has_more: boolean;
  readonly next: string | null;
}

function rowsOf(sizes: readonly number[]): readonly Row[] {
  return sizes.map((size, index) => ({ id: String(index).padStart(4, '0'), text: 'x'.repeat(size) }));
}

/** Returns a list with rows of these sizes, and records how many rows were requested. */
function listOf(sizes: readonly number[]) {
  const rows = rowsOf(sizes);
  const asked: number[] = [];
  const read = async (request: PageRequest): Promise<Page<Row>> => {
    const { limit = 50 } = request;
    const [after = ''] = placeAfter(request, 1) ?? [];
    asked.push(limit);
    const rest = rows.filter(({ id }) => id > after);
    return pageOf(rest.slice(0, limit + 1), limit, ({ id }) => [id]);
  };
  const page = async (request: PageRequest = {}): Promise<Written> => {
    const { body } = await listAnswer(request, read, (row) => row);
    return JSON.parse(body as string) as Written;
  };
  return { rows, asked, page };
}

const many = (count: number, size: number) => new Array<number>(count).fill(size);
const idsOf = ({ data }: Written) => data.map(({ id }) => id);

test('a page of small rows has the requested number, read in a few chunks', async () => {
  const { asked, page } = listOf(many(120, 100));
  const first = await page();
  expect([first.data.length, first.has_more, asked]).toEqual([50, true, [5, 45]]);
  const second = await page({ after: first.next, limit: 70 });
  expect([second.data.length, second.has_more, second.next]).toEqual([70, false, null]);
});

test('a page ends with the row that reaches its byte limit, and the next continues there', async () => {
  const { rows, asked, page } = listOf(many(12, MOST_PAGE_BYTES / 3));
  const seen: string[] = [];
  for (let after: string | null = null; ; ) {
    const written: Written = await page({ after, limit: 1_000 });
    expect(written.data.length).toBe(3);
    seen.push(...idsOf(written));
    after = written.next;
    if (after === null) break;
  }
  expect(seen).toEqual(rows.map(({ id }) => id));
  expect(new Set(asked)).toEqual(new Set([5]));
});

test('a row that is larger than a page is its own page', async () => {
  const { page } = listOf([2 * MOST_PAGE_BYTES, 10, 10]);
  const first = await page();
  expect([idsOf(first), first.has_more]).toEqual([['0000'], true]);
  expect(idsOf(await page({ after: first.next }))).toEqual(['0001', '0002']);
});

test('large rows after small ones are not read by the hundred', async () => {
  const { asked, page } = listOf([...many(55, 100), ...many(1_000, MOST_PAGE_BYTES / 4)]);
  const first = await page({ limit: 1_000 });
  expect([first.data.length, first.has_more, asked]).toEqual([59, true, [5, 50, 100]]);
});

test('a page that is read short ends there', async () => {
  const short: Page<Row> = { items: rowsOf([1, 1]), next: 'place' };
  const { body } = await listAnswer(
    { limit: 10 },
    async () => short,
    (row) => row,
  );
  expect(JSON.parse(body as string)).toMatchObject({ has_more: true, next: 'place' });
  const empty = await listAnswer(
    {},
    async () => ({ items: [], next: null }),
    (row: Row) => row,
  );
  expect(JSON.parse(empty.body as string)).toEqual({ object: 'list', data: [], has_more: false, next: null });
});

test('rows in memory also observe the byte limit', () => {
  const page = pageOf(rowsOf(many(10, MOST_PAGE_BYTES / 2)), 50, ({ id }) => [id]);
  const written = JSON.parse(pageAnswer(page, (row) => row).body as string) as Written;
  expect([written.data.length, written.has_more]).toEqual([2, true]);
  expect(placeAfter({ after: written.next }, 1)).toEqual(['0001']);
});
