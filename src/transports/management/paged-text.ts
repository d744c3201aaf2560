import type { Page, PageRequest } from '../../engine/admin/page.ts';
import { ChunkRows } from './chunk-rows.ts';

export interface PagedText<Item> {
  /** Lines before the first item. */
  readonly head?: string;
  readonly read: (request: PageRequest) => Promise<Page<Item>>;
  readonly line: (item: Item) => string;
}

/** What is read and written at a time. */
const CHUNK_BYTES = 256 * 1024;

/**
 * All pages of a list as text: one at a time, as fast as the client reads, and none after it has gone. The first one is there before
 * there is an answer, which may be an error then.
 */
export async function pagedText<Item>({ head = '', read, line }: PagedText<Item>): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder();
  const chunk = new ChunkRows();
  let next: string | null = null;
  const readOn = async () => {
    const page = await read({ after: next, limit: chunk.next(CHUNK_BYTES) });
    const lines = page.items.map(line).join('');
    chunk.add(page.items.length, lines.length);
    next = page.next;
    return lines;
  };
  let text = head + (await readOn());
  let isGone = false;
  return new ReadableStream({
    async pull(controller) {
      // Pages may be empty although there are more; a pull that gives nothing is not followed by another.
      while (text === '' && next !== null && !isGone) text = await readOn();
      if (isGone) return;
      if (text !== '') controller.enqueue(encoder.encode(text));
      text = '';
      if (next === null) controller.close();
    },
    cancel() {
      isGone = true;
    },
  });
}
