import { Failure } from '../../../domain/failure/failure.ts';
import type { ClientFormat, InboundCall, ParsedRequest } from '../../../formats/format.ts';
import { LARGE_BODY_BYTES, readLargeBody } from '../../../formats/shared/body.ts';
import { Turns } from '../../../formats/shared/large-json.ts';

interface Sent {
  readonly format: ClientFormat;
  readonly call: InboundCall;
  readBody(accountId: string): Promise<Uint8Array | Failure>;
}

/** Reads and parses the body. This is a function of its own so that only the parsed request keeps the bytes alive. */
export async function parsedBody(sent: Sent, accountId: string): Promise<ParsedRequest | Failure> {
  const bytes = await sent.readBody(accountId);
  if (bytes instanceof Failure) return bytes;
  if (bytes.length <= LARGE_BODY_BYTES) return sent.format.parseRequest(bytes, sent.call);
  const source = await readLargeBody(bytes, sent.format.ownNames.table);
  if (source instanceof Failure) return source;
  const parsed = sent.format.parseRequest(source, sent.call);
  // Checking a hundred thousand values takes 10 ms, and so does the next step: other requests get a turn in between.
  await new Turns().next();
  return parsed;
}
