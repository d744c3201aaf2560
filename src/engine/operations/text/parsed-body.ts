import { Failure } from '../../../domain/failure/failure.ts';
import type { ClientFormat, InboundCall, ParsedRequest } from '../../../formats/format.ts';
import { Turns } from '../../../formats/shared/json/large-json.ts';
import { LARGE_BODY_BYTES, readLargeBody } from '../../../formats/shared/request/body.ts';

interface Sent {
  readonly format: ClientFormat;
  readonly call: InboundCall;
  readBody(accountId: string): Promise<Uint8Array | Failure>;
}

export interface BodyReader<Known, Read> {
  /** Returns the known facts of a repeated body, or `null`. */
  look(bytes: Uint8Array): Known | null;
  read(parsed: ParsedRequest): Read;
}

/** Reads and parses the body, unless it is known already. A separate function, so that only the parsed request keeps the bytes alive. */
export async function parsedBody<Known, Read>(
  sent: Sent,
  accountId: string,
  reader: BodyReader<Known, Read>,
): Promise<Known | Read | Failure> {
  const bytes = await sent.readBody(accountId);
  if (bytes instanceof Failure) return bytes;
  const known = reader.look(bytes);
  if (known !== null) return known;
  if (bytes.length <= LARGE_BODY_BYTES) return readBy(reader, sent.format.parseRequest(bytes, sent.call));
  const source = await readLargeBody(bytes, sent.format.ownNames.table);
  if (source instanceof Failure) return source;
  const parsed = sent.format.parseRequest(source, sent.call);
  // Checking a hundred thousand values takes 10 ms, and so does the next step: other requests get a turn in between.
  await new Turns().next();
  return readBy(reader, parsed);
}

function readBy<Read>({ read }: Pick<BodyReader<unknown, Read>, 'read'>, parsed: ParsedRequest | Failure) {
  return parsed instanceof Failure ? parsed : read(parsed);
}
