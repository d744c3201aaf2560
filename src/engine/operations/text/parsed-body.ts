import { Failure } from '../../../domain/failure/failure.ts';
import type { ClientFormat, InboundCall, ParsedRequest } from '../../../formats/format.ts';
import { LARGE_BODY_BYTES, readLargeBody } from '../../../formats/shared/body.ts';
import { Turns } from '../../../formats/shared/large-json.ts';

interface Sent {
  readonly format: ClientFormat;
  readonly call: InboundCall;
  readBody(accountId: string): Promise<Uint8Array | Failure>;
}

/** Reads and parses the body, unless `look` knows it already. This is a function of its own so that only the parsed request keeps the bytes alive. */
export async function parsedBody<Known>(
  sent: Sent,
  accountId: string,
  look: (bytes: Uint8Array) => Known | null,
): Promise<ParsedRequest | Known | Failure> {
  const bytes = await sent.readBody(accountId);
  if (bytes instanceof Failure) return bytes;
  const known = look(bytes);
  if (known !== null) return known;
  if (bytes.length <= LARGE_BODY_BYTES) return sent.format.parseRequest(bytes, sent.call);
  const source = await readLargeBody(bytes, sent.format.ownNames.table);
  if (source instanceof Failure) return source;
  const parsed = sent.format.parseRequest(source, sent.call);
  // Checking a hundred thousand values takes 10 ms, and so does the next step: other requests get a turn in between.
  await new Turns().next();
  return parsed;
}
