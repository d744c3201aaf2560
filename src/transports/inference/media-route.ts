import { Failure } from '../../domain/failure/failure.ts';
import { servedAs } from '../../domain/media/served-media.ts';
import type { MediaStore, OpenMedia } from '../../engine/ports/media-store.ts';
import { requestTarget } from '../../formats/shared/request/request-target.ts';
import { openaiChat } from '../../formats/text/openai-chat/index.ts';
import { isNotModified } from './answer-cache.ts';
import { failureResponse, methodNotAllowed } from './failure-response.ts';
import type { ClientRequest, RouteHandler } from './route.ts';

interface MediaRouteOptions {
  readonly mediaStore: MediaStore;
  readonly newRequestId: () => string;
}

/** Models generate the files, and the gateway's pages and cookies share their origin: nothing in a file may run or load anything. */
const GUARDED = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  // Lets pages of other origins show files.
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  // An `<img>` sends no origin and gets no CORS headers: a browser that cached that answer would refuse it to a `fetch`.
  vary: 'origin',
};

/**
 * Serves `GET /media/{id}?expires=…&signature=…`: a file of the gateway's own store. The signed link authorizes the request, since an
 * `<img>` sends no key.
 */
export function mediaRoute(options: MediaRouteOptions): Record<string, RouteHandler> {
  const { mediaStore, newRequestId } = options;
  return {
    '/media/:id': async (request) => {
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return methodNotAllowed(request, openaiChat, { allow: 'GET, HEAD', newRequestId });
      const { path, query } = requestTarget(request.url);
      const id = path.split('/')[2] ?? '';
      const media = await mediaStore.open({ id, expires: query.get('expires'), signature: query.get('signature') });
      if (media === null) return notThere(newRequestId);
      if (media instanceof Failure) return failureResponse(openaiChat, media, newRequestId());
      return serveMedia(media, request, newRequestId);
    },
  };
}

/** Answers the same whatever is wrong with a link, so that guessing reveals nothing. */
function notThere(newRequestId: () => string): Response {
  const failure = new Failure('object_not_found', {
    message: 'The file does not exist, or its link is incomplete or has expired.',
    hint: 'Request a new link, and use it unchanged, with its whole query.',
  });
  return failureResponse(openaiChat, failure, newRequestId(), { 'cache-control': 'no-store' });
}

/** Sends a stored file, or the part of it that a `Range` header requests. */
export async function serveMedia(
  media: OpenMedia,
  request: ClientRequest,
  newRequestId: () => string,
): Promise<Response> {
  const { size, mediaType, saveName, leftMs } = media;
  const { contentType, disposition } = servedAs(mediaType, saveName);
  const etag = `"${media.id}"`;
  const headers = {
    ...GUARDED,
    'content-type': contentType,
    'content-disposition': disposition,
    'accept-ranges': 'bytes',
    etag,
    'cache-control': `private, max-age=${Math.floor(leftMs / 1_000)}`,
    'x-request-id': newRequestId(),
  };
  if (isNotModified(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  const condition = request.headers.get('if-range');
  const wanted = condition === null || condition === etag ? request.headers.get('range') : null;
  // RFC 9110, 14.2: `Range` is defined for GET only.
  const range = request.method === 'GET' ? byteRange(wanted, size) : null;
  if (range === 'unsatisfiable') {
    const refused = { ...headers, 'content-range': `bytes */${size}`, 'cache-control': 'no-store' };
    return new Response(null, { status: 416, headers: refused });
  }
  const { start, end } = range ?? { start: 0, end: size };
  const sized = { ...headers, 'content-length': String(end - start) };
  if (request.method === 'HEAD') return new Response(null, { headers: sized });
  const body = await media.read(start, end);
  if (body === null) return notThere(newRequestId);
  if (range === null) return new Response(body, { headers: sized });
  return new Response(body, {
    status: 206,
    headers: { ...sized, 'content-range': `bytes ${start}-${end - 1}/${size}` },
  });
}

/** The bytes from `start` (inclusive) to `end` (exclusive). */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const SINGLE = /^bytes=(\d{0,15})-(\d{0,15})$/i;

/**
 * Returns the part of a file that a `Range` header requests (RFC 9110, 14.1.2); `null` if the whole file is the answer: without a header,
 * and for what a server may ignore (other units, several ranges, malformed ranges).
 */
export function byteRange(header: string | null, size: number): ByteRange | 'unsatisfiable' | null {
  const [, first, last] = SINGLE.exec(header?.replaceAll(' ', '') ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size };
  }
  const start = Number(first);
  const end = last === '' ? size : Math.min(Number(last) + 1, size);
  if (last !== '' && Number(last) < start) return null;
  return start >= size ? 'unsatisfiable' : { start, end };
}
