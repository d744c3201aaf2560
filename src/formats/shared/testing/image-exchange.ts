import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageAnswer, ImageRequest } from '../../../domain/images/images.ts';
import type { PiecedBody } from '../../../domain/media/pieced-body.ts';
import type { ImageWire } from '../../images/wire.ts';
import type { NextRequest, WireAnswer } from '../../wire.ts';
import { INLINE_PIXEL, PLAIN_IMAGE } from './image-samples.ts';

/* Helpers for tests of image wires: what a wire sends and reads. */

/** Options that a client may set in addition to the prompt: one of each kind that a wire may carry, lose or refuse. */
export const IMAGE_ASKS: Readonly<Record<string, Partial<ImageRequest>>> = {
  nothing: {},
  negativePrompt: { negativePrompt: 'fog' },
  count: { count: 2 },
  size: { size: { width: 1536, height: 1024 } },
  automaticSize: { size: 'auto' },
  aspectRatio: { aspectRatio: '16:9' },
  quality: { quality: 'high' },
  style: { style: 'vivid' },
  background: { background: 'transparent' },
  moderation: { moderation: 'low' },
  seed: { seed: 7 },
  png: { fileFormat: 'png' },
  jpeg: { fileFormat: 'jpeg' },
  webp: { fileFormat: 'webp' },
  compression: { compression: 80 },
  user: { user: 'u' },
  unknown: { body: { unheard_of: 1 } },
  option: { options: { their_own: 'thing' } },
  edit: { kind: 'edit', images: [INLINE_PIXEL] },
  severalImages: { kind: 'edit', images: [INLINE_PIXEL, INLINE_PIXEL] },
};

/**
 * Returns, for each pair of options, those that a wire neither sends nor reports as lost, and those that it adds unasked. A
 * refusal must be about one of `refused`. `carried` lists the client's names of the members in the body.
 */
export async function unaccounted(
  wire: ImageWire,
  upstreamModel: string,
  refused: readonly string[],
  carried: (sent: SentImageRequest) => readonly string[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [name, request] of pairsOfAsks()) {
    const sent = await sentOver(wire, upstreamModel, request);
    if (typeof sent === 'string') {
      if (!refused.includes(sent.replace(/^400 /, ''))) problems.push(`${name}: ${sent}`);
      continue;
    }
    const found = new Set([...carried(sent), ...sent.lost]);
    for (const [field, isAsked] of Object.entries(askedOf(request))) {
      if (found.has(field) !== isAsked) problems.push(`${name}: ${field}`);
    }
  }
  return problems;
}

function askedOf(request: ImageRequest): Readonly<Record<string, boolean>> {
  return {
    negative_prompt: request.negativePrompt !== null,
    quality: request.quality !== null,
    style: request.style !== null,
    moderation: request.moderation !== null,
    seed: request.seed !== null,
    output_format: request.fileFormat !== null,
    output_compression: request.compression !== null,
    user: request.user !== null,
    unheard_of: Object.hasOwn(request.body, 'unheard_of'),
    their_own: Object.hasOwn(request.options, 'their_own'),
  };
}

/** Returns a request for each pair of options. */
function pairsOfAsks(): readonly (readonly [name: string, request: ImageRequest])[] {
  const asks = Object.entries(IMAGE_ASKS);
  return asks.flatMap(([first, one]) =>
    asks.map(([second, other]): [string, ImageRequest] => [
      `${first} and ${second}`,
      { ...PLAIN_IMAGE, ...one, ...other },
    ]),
  );
}

export interface SentImageRequest {
  /** The JSON body, or the text parts of a form, in which a repeated name is a list. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The file names of a form, by the name of their part. */
  readonly files: Readonly<Record<string, readonly string[]>>;
  readonly suffix: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The client's names of the lost members, sorted. */
  readonly lost: readonly string[];
}

/** Returns what the wire sends, or its refusal as `400 param`. */
export async function sentOver(
  wire: ImageWire,
  upstreamModel: string,
  asked: Partial<ImageRequest> = {},
): Promise<SentImageRequest | string> {
  const sent = await wire.encodeRequest({ ...PLAIN_IMAGE, ...asked }, { upstreamModel });
  if (sent instanceof Failure) return `${sent.status} ${sent.details.param}`;
  const headers = sent.headers ?? {};
  const read = await readBody(sent.body, headers['content-type']);
  return { ...read, suffix: sent.suffix ?? '', headers, lost: sent.losses.map(({ field }) => field).toSorted() };
}

async function readBody(
  body: Uint8Array<ArrayBuffer> | PiecedBody | null,
  contentType: string | undefined,
): Promise<Pick<SentImageRequest, 'body' | 'files'>> {
  if (body === null) return { body: {}, files: {} };
  if (body instanceof Uint8Array) return { body: JSON.parse(new TextDecoder().decode(body)), files: {} };
  const pieces = await Promise.all(
    body.pieces.map(async (piece) => {
      if (piece instanceof Uint8Array) return piece;
      const bytes = await piece.file.bytes();
      return piece.as === 'bytes' ? bytes : new TextEncoder().encode(bytes.toBase64());
    }),
  );
  const form = await new Response(Buffer.concat(pieces), {
    headers: { 'content-type': contentType ?? 'none' },
  }).formData();
  const fields: Record<string, unknown> = {};
  const files: Record<string, string[]> = {};
  for (const [name, value] of form) {
    if (typeof value !== 'string') files[name] = [...(files[name] ?? []), `${value.name} ${value.type} ${value.size}`];
    else if (Object.hasOwn(fields, name)) fields[name] = [fields[name], value].flat();
    else fields[name] = value;
  }
  return { body: fields, files };
}

export function imageAnswer(body: unknown, headers: Readonly<Record<string, string>> = {}): WireAnswer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { bytes: new TextEncoder().encode(text), headers: new Headers(headers) };
}

export function answeredOver(
  wire: ImageWire,
  body: unknown,
  upstreamModel = 'theirs',
  asked: Partial<ImageRequest> = {},
): ImageAnswer | Failure {
  return wire.decodeAnswer(imageAnswer(body), { ...PLAIN_IMAGE, ...asked }, { upstreamModel });
}

/** Returns what the wire requests after an answer. */
export function nextOver(wire: ImageWire, body: unknown, upstreamModel = 'theirs'): NextRequest | null | Failure {
  if (wire.next === undefined) throw new Error(`${wire.name} asks only once`);
  return wire.next(imageAnswer(body), { upstreamModel });
}

export function failedOver(wire: ImageWire, status: number, body: unknown): Failure {
  return wire.decodeFailure(status, new Headers(), imageAnswer(body).bytes);
}

/** One value of each JSON type, for members of an answer that should have another type. */
export const WRONG_VALUES: readonly unknown[] = [null, true, 0, -1, 1.5, '', 'x', [], [null], [[]], {}, { a: 1 }];
