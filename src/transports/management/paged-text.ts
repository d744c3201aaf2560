import type { Page } from '../../engine/admin/page.ts';

export interface PagedText<Item> {
  /** Lines before the first item. */
  readonly head?: string;
  readonly read: (after: string | null) => Promise<Page<Item>>;
  readonly line: (item: Item) => string;
}

/**
 * All pages of a list as text: one at a time, as fast as the client reads, and none after it has gone. The first one is there before
 * there is an answer, which may be an error then.
 */
export async function pagedText<Item>({ head = '', read, line }: PagedText<Item>): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder();
  let page = await read(null);
  let text = head + page.items.map(line).join('');
  let isGone = false;
  return new ReadableStream({
    async pull(controller) {
      // Pages may be empty although there are more; a pull that gives nothing is not followed by another.
      while (text === '' && page.next !== null && !isGone) {
        page = await read(page.next);
        text = page.items.map(line).join('');
      }
      if (isGone) return;
      if (text !== '') controller.enqueue(encoder.encode(text));
      text = '';
      if (page.next === null) controller.close();
    },
    cancel() {
      isGone = true;
    },
  });
}
