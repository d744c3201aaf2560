import type { Transform } from 'node:stream';
import { Failure } from '../../domain/failure/failure.ts';
import { Turns } from '../../formats/shared/json/large-json.ts';
import type { BodyLease } from './body-budget.ts';
import { decoded, decoderFor } from './decompress.ts';
import type { ClientRequest } from './route.ts';
import type { Upload } from './uploads.ts';

/** Longer bodies are read in pieces and counted as they arrive, so that the announced length alone reserves no memory. */
const READ_AT_ONCE = 64 * 1024;
const COPIED_AT_ONCE = 1024 * 1024;
/** Smaller pieces are merged: each array has an overhead of about a hundred bytes. */
const SMALL_PIECE = 4 * 1024;
const ROOM_FOR_SMALL = 64 * 1024;

/** The memory budget for a body, and the watchdog of its upload. */
export interface Reception {
  readonly limitBytes: number;
  readonly lease: BodyLease;
  readonly upload: Upload;
  readonly tooLargeHint?: string | undefined;
}

/** Reads and decodes a request body of at most `limitBytes`; returns a 413 failure as soon as it proves larger. */
export function readBody(
  request: ClientRequest,
  reception: Reception,
): Uint8Array | Failure | Promise<Uint8Array | Failure> {
  const { limitBytes, lease, upload, tooLargeHint } = reception;
  const wrongType = contentTypeFailure(request);
  if (wrongType) return wrongType;
  const makeDecoder = decoderFor(request.headers.get('content-encoding'));
  if (makeDecoder instanceof Failure) return makeDecoder;
  const header = request.headers.get('content-length');
  const declared = header === null ? null : Number(header);
  if (declared !== null && declared > limitBytes) return tooLarge(limitBytes, tooLargeHint);
  if (makeDecoder !== null) return readEncoded(request, reception, makeDecoder);
  if (declared === null || declared > READ_AT_ONCE) {
    return request.body ? readInPieces(received(request.body, upload), reception, declared) : new Uint8Array(0);
  }
  return lease.grow(declared) ?? readAtOnce(request, upload);
}

function readAtOnce(request: ClientRequest, upload: Upload): Promise<Uint8Array | Failure> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array | Failure>();
  upload.stop = resolve;
  request.bytes().then(resolve, () => resolve(cutShort()));
  return promise;
}

/** Yields the pieces as they arrive, until the upload ends. */
export async function* received(body: ReadableStream<Uint8Array>, upload: Upload): Pieces {
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  upload.stop = cancel;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      upload.received(value.length);
      yield value;
    }
  } finally {
    cancel();
  }
}

function contentTypeFailure(request: ClientRequest): Failure | null {
  const contentType = request.headers.get('content-type');
  if (contentType === null || contentType === 'application/json') return null;
  if (/^application\/(?:[\w.-]+\+)?json\b/i.test(contentType)) return null;
  return new Failure('unsupported_content_type', {
    message: `The content type \`${contentType.slice(0, 100)}\` is not supported here. Send JSON with the header \`Content-Type: application/json\`.`,
  });
}

type Pieces = AsyncIterable<Uint8Array>;

async function readEncoded(
  request: ClientRequest,
  reception: Reception,
  makeDecoder: () => Transform,
): Promise<Uint8Array | Failure> {
  if (!request.body) return new Uint8Array(0);
  let wasCut = false;
  async function* sent(body: Pieces): Pieces {
    try {
      yield* body;
    } catch (error) {
      wasCut = true;
      throw error;
    }
  }
  const coming = received(request.body, reception.upload);
  const body = await readInPieces(decoded(sent(coming), makeDecoder()), reception, null);
  const isBroken = body instanceof Failure && body.code === 'client_closed_request' && !wasCut;
  return isBroken ? notEncoded(request.headers.get('content-encoding') ?? '') : body;
}

/** `length` is the length of the body, or `null` if unknown. */
async function readInPieces(
  body: Pieces,
  { limitBytes, lease, upload, tooLargeHint }: Reception,
  length: number | null,
): Promise<Uint8Array | Failure> {
  const whole = length === null ? null : new Uint8Array(length);
  const pieces = new GatheredPieces();
  let read = 0;
  try {
    for await (const piece of body) {
      const end = read + piece.length;
      if (end > (length ?? limitBytes)) return tooLarge(limitBytes, tooLargeHint);
      const refusal = lease.grow(piece.length);
      if (refusal !== null) return refusal;
      if (whole === null) pieces.add(piece);
      else whole.set(piece, read);
      read = end;
    }
  } catch {
    return upload.failure ?? cutShort();
  }
  if (upload.failure !== null) return upload.failure;
  if (whole === null) return joined(pieces.all(), read);
  return read === length ? whole : cutShort();
}

/** Collects the pieces of a body of unknown length; the client determines how small they are. */
class GatheredPieces {
  private readonly pieces: Uint8Array[] = [];
  private room: Uint8Array | null = null;
  private filled = 0;

  add(piece: Uint8Array): void {
    if (piece.length >= SMALL_PIECE) {
      this.flush();
      this.pieces.push(piece);
      return;
    }
    if (this.filled + piece.length > ROOM_FOR_SMALL) this.flush();
    this.room ??= new Uint8Array(ROOM_FOR_SMALL);
    this.room.set(piece, this.filled);
    this.filled += piece.length;
  }

  all(): readonly Uint8Array[] {
    this.flush();
    return this.pieces;
  }

  private flush(): void {
    if (this.room === null) return;
    if (this.filled > 0) this.pieces.push(this.room.slice(0, this.filled));
    this.filled = 0;
  }
}

/** Copies in slices: the pages of a large array are allocated on first write, which takes 80 ms for 50 MB. */
async function joined(pieces: readonly Uint8Array[], length: number): Promise<Uint8Array> {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only;
  const whole = new Uint8Array(length);
  const turns = new Turns();
  let at = 0;
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; from += COPIED_AT_ONCE) {
      whole.set(piece.subarray(from, from + COPIED_AT_ONCE), at + from);
      if (turns.isOver) await turns.next();
    }
    at += piece.length;
  }
  return whole;
}

export function tooLarge(limitBytes: number, hint = 'Send large media by URL, or shorten the conversation.'): Failure {
  const limit = limitBytes >= 1024 * 1024 ? `${Math.floor(limitBytes / (1024 * 1024))} MiB` : `${limitBytes} bytes`;
  return new Failure('payload_too_large', {
    message: `The request body exceeds the limit of ${limit}.`,
    hint,
  });
}

function notEncoded(encoding: string): Failure {
  return new Failure('invalid_json', {
    message: `The request body is not valid ${encoding.trim().slice(0, 100)}, which \`Content-Encoding\` names. Compress it correctly, or remove the header.`,
  });
}

export function cutShort(): Failure {
  return new Failure('client_closed_request', {
    message: 'The client closed the connection before it had sent the whole request.',
  });
}
