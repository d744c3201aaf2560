import type { Page, PageRequest } from '../../engine/admin/page.ts';
import { ChunkRows } from './list.ts';

export interface PagedText<Item> {
  /** Lines before the first item. */
  readonly head?: string;
  readonly read: (request: PageRequest) => Promise<Page<Item>>;
  readonly line: (item: Item) => string;
}

/** The amount that is read and written at a time. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Streams all pages of a list as text, one at a time, as fast as the client reads, and stops when it disconnects. The first page is read
 * before the answer begins, so that an error can still be reported.
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
      // A page may be empty although more follow, and a pull that enqueues nothing is not repeated.
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
