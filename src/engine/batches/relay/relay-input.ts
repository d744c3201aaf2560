import type { BatchRelayStore } from '../../ports/batch-relay-store.ts';
import type { InputFraming, ProviderInput } from './batch-api.ts';

/** How much of an input is in memory at once, in bytes. */
const AT_ONCE_BYTES = 1024 * 1024;

type Contents = Pick<BatchRelayStore, 'contents'>;

/** Returns the input of a batch for its provider. At most about a megabyte of it is in memory. */
export async function relayInput(store: Contents, relayId: string, framing: InputFraming): Promise<ProviderInput> {
  let length = 0;
  for await (const piece of pieces(store, relayId, framing)) length += piece.length;
  return { length, pieces: pieces(store, relayId, framing) };
}

async function* pieces(
  store: Contents,
  relayId: string,
  { head, separator, tail }: InputFraming,
): AsyncGenerator<Uint8Array> {
  const between = Buffer.from(separator);
  let lead = Buffer.from(head);
  for (let after = 0; ; ) {
    const found = await store.contents(relayId, after, AT_ONCE_BYTES);
    const last = found.at(-1);
    if (last === undefined) break;
    const parts: Uint8Array[] = [];
    for (const { content } of found) {
      parts.push(lead, content);
      lead = between;
    }
    yield Buffer.concat(parts);
    after = last.number;
  }
  yield Buffer.from(tail);
}
