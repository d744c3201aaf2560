import { Failure } from '../../../domain/failure/failure.ts';
import type { ClientFormat, InboundCall, ParsedRequest } from '../../../formats/format.ts';
import { LARGE_BODY_BYTES, readLargeBody } from '../../../formats/shared/body.ts';
import { Turns } from '../../../formats/shared/large-json.ts';

interface Sent {
  readonly format: ClientFormat;
  readonly call: InboundCall;
  readBody(accountId: string): Promise<Uint8Array | Failure>;
}

/** In a function of its own, so that the bytes are held by nobody but the parsed request. */
export async function parsedBody(sent: Sent, accountId: string): Promise<ParsedRequest | Failure> {
  const bytes = await sent.readBody(accountId);
  if (bytes instanceof Failure) return bytes;
  if (bytes.length <= LARGE_BODY_BYTES) return sent.format.parseRequest(bytes, sent.call);
  const source = await readLargeBody(bytes, sent.format.ownNames.table);
  if (source instanceof Failure) return source;
  const parsed = sent.format.parseRequest(source, sent.call);
  // A hundred thousand values take 10 ms to check, and as much again what is done with them next.
  await new Turns().next();
  return parsed;
}
