import type { BatchRelayStore } from '../../ports/batch-relay-store.ts';
import type { ProviderInput } from './openai-batches.ts';

/** The contents that are in memory at once, in bytes. */
const AT_ONCE_BYTES = 1024 * 1024;

type Contents = Pick<BatchRelayStore, 'contents'>;

/** Returns the input of a batch for its provider. At most about a megabyte of it is in memory. */
export async function relayInput(store: Contents, relayId: string): Promise<ProviderInput> {
  let length = 0;
  for await (const piece of pieces(store, relayId)) length += piece.length;
  return { name: `${relayId}.jsonl`, length, pieces: pieces(store, relayId) };
}

async function* pieces(store: Contents, relayId: string): AsyncGenerator<Uint8Array> {
  for (let after = 0; ; ) {
    const found = await store.contents(relayId, after, AT_ONCE_BYTES);
    const last = found.at(-1);
    if (last === undefined) return;
    yield Buffer.concat(found.flatMap(({ content }) => [content, LINE_BREAK]));
    after = last.number;
  }
}

const LINE_BREAK = Uint8Array.of(0x0a);
