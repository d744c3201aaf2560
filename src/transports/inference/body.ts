import { Failure } from '../../domain/failure/failure.ts';

/** Reads a request body of at most `limitBytes`; more is a 413 as soon as that is known. */
export async function readBody(request: Request, limitBytes: number): Promise<Uint8Array | Failure> {
  const wrongType = contentTypeFailure(request);
  if (wrongType) return wrongType;
  const declared = request.headers.get('content-length');
  if (declared !== null) {
    if (Number(declared) > limitBytes) return tooLarge(limitBytes);
    return readAtOnce(request);
  }
  return readInPieces(request, limitBytes);
}

function contentTypeFailure(request: Request): Failure | null {
  const contentType = request.headers.get('content-type');
  if (contentType === null || /^application\/(?:[\w.-]+\+)?json\b/i.test(contentType)) return null;
  return new Failure('unsupported_content_type', {
    message: `The content type \`${contentType.slice(0, 100)}\` is not supported here. Send JSON with the header \`Content-Type: application/json\`.`,
  });
}

async function readAtOnce(request: Request): Promise<Uint8Array | Failure> {
  try {
    return await request.bytes();
  } catch {
    return cutShort();
  }
}

async function readInPieces(request: Request, limitBytes: number): Promise<Uint8Array | Failure> {
  if (!request.body) return new Uint8Array(0);
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of request.body) {
      length += piece.length;
      if (length > limitBytes) return tooLarge(limitBytes);
      pieces.push(piece);
    }
  } catch {
    return cutShort();
  }
  return Buffer.concat(pieces);
}

function tooLarge(limitBytes: number): Failure {
  const limit = limitBytes >= 1024 * 1024 ? `${Math.floor(limitBytes / (1024 * 1024))} MiB` : `${limitBytes} bytes`;
  return new Failure('payload_too_large', {
    message: `The request body is larger than the ${limit} that this gateway accepts.`,
    hint: 'Send large media by URL, or shorten the conversation.',
  });
}

function cutShort(): Failure {
  return new Failure('client_closed_request', {
    message: 'The client closed the connection while it was sending the request.',
  });
}
