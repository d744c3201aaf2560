import {
  isMedia,
  type MediaPart,
  type Message,
  type Part,
  type ToolResultPart,
} from '../../../domain/exchange/part.ts';
import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { withTrueLabel } from '../../../formats/shared/media/media-label.ts';
import type { FetchedMedia, RequestMedia } from '../../ports/media-fetcher.ts';

/** A file as request bodies contain it. */
interface InlineMedia {
  readonly base64: string;
  readonly mediaType: string;
}

/** The files that one request has fetched, by URL, so that a second target does not fetch them again. */
export type FetchedByUrl = Map<string, Promise<InlineMedia | Failure>>;

interface Wanted {
  readonly url: string;
  /** The path, in the client's body, of the first part with this URL. */
  readonly path: string | undefined;
  uses: number;
}

interface FetchInput {
  readonly request: ExchangeRequest;
  readonly needsBytes: (part: MediaPart) => boolean;
  readonly maxUrls: number;
  /** Called only if there is something to fetch. */
  readonly files: () => RequestMedia;
  readonly fetched: FetchedByUrl;
  readonly signal: () => AbortSignal;
}

/**
 * Replaces URLs by the bytes of the files, if the upstream takes no URLs (design, section 3). A URL that cannot be fetched is the client's
 * error, and the failure names its field. A request with too many URLs fails before any is fetched.
 */
export function withBytes(input: FetchInput): ExchangeRequest | Failure | Promise<ExchangeRequest | Failure> {
  const wanted = new Map<string, Wanted>();
  for (const { parts } of input.request.messages) {
    for (const part of parts) addUrls(part, input, wanted);
  }
  if (wanted.size === 0) return input.request;
  if (wanted.size <= input.maxUrls) return fetchAll(input, [...wanted.values()]);
  return tooMany([...wanted.values()][input.maxUrls]?.path, input.maxUrls);
}

async function fetchAll(input: FetchInput, wanted: readonly Wanted[]): Promise<ExchangeRequest | Failure> {
  const ready = new Map<string, InlineMedia>();
  // One file that cannot be fetched fails the whole request, so the other fetches are aborted.
  const given = new AbortController();
  const signal = AbortSignal.any([input.signal(), given.signal]);
  let failed: Failure | null = null;
  const all = wanted.map(async ({ url, path, uses }) => {
    const media = await inline(input, url, uses, signal);
    if (!(media instanceof Failure)) return ready.set(url, media);
    input.fetched.delete(url);
    failed ??= path === undefined ? media : aboutField(media, path);
    return given.abort();
  });
  await Promise.all(all);
  if (failed !== null) return failed;
  const replace = (part: MediaPart) => withSource(part, input, ready);
  return { ...input.request, messages: input.request.messages.map((message) => replaceIn(message, replace)) };
}

/** Fetches the file and encodes it as base64 at once, so that the raw bytes can be freed. */
function inline(input: FetchInput, url: string, uses: number, signal: AbortSignal): Promise<InlineMedia | Failure> {
  let media = input.fetched.get(url);
  if (media === undefined) {
    media = input.files().fetch(url, { uses, signal }).then(asInline);
    input.fetched.set(url, media);
  }
  return media;
}

function asInline(media: FetchedMedia | Failure): InlineMedia | Failure {
  if (media instanceof Failure) return media;
  const { bytes, mediaType } = media;
  return { base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'), mediaType };
}

function tooMany(param: string | undefined, limit: number): Failure {
  return new Failure('invalid_value', {
    kind: 'media_too_many_urls',
    message: `The request has more than ${limit} media URLs that the gateway would have to fetch. Send some of the data inline (base64), or use fewer files.`,
    ...(param === undefined ? {} : { param }),
  });
}

function aboutField(failure: Failure, param: string): Failure {
  return new Failure(failure.code, { ...failure.details, param });
}

function addUrls(part: Part, input: FetchInput, wanted: Map<string, Wanted>): void {
  if (part.type === 'tool-result') for (const inner of part.content) addUrls(inner, input, wanted);
  else if (isMedia(part) && part.source.kind === 'url' && input.needsBytes(part)) {
    const { url } = part.source;
    const known = wanted.get(url);
    if (known) known.uses++;
    else wanted.set(url, { url, path: part.path, uses: 1 });
  }
}

/** Returns the request with every file labelled by its actual type; the same object if all labels are right. */
export function withTrueLabels(request: ExchangeRequest): ExchangeRequest {
  let isChanged = false;
  const labelled = (part: MediaPart): MediaPart => {
    const result = withTrueLabel(part);
    isChanged ||= result !== part;
    return result;
  };
  const messages = request.messages.map((message) => (hasMedia(message) ? replaceIn(message, labelled) : message));
  return isChanged ? { ...request, messages } : request;
}

function hasMedia({ parts }: Message): boolean {
  return parts.some((part) => isMedia(part) || (part.type === 'tool-result' && part.content.some(isMedia)));
}

function replaceIn(message: Message, replace: (part: MediaPart) => MediaPart): Message {
  const parts = message.parts.map((part): Part => {
    if (part.type === 'tool-result') return replaceInResult(part, replace);
    return isMedia(part) ? replace(part) : part;
  });
  return { ...message, parts };
}

function replaceInResult(result: ToolResultPart, replace: (part: MediaPart) => MediaPart): ToolResultPart {
  return { ...result, content: result.content.map((inner) => (isMedia(inner) ? replace(inner) : inner)) };
}

function withSource(part: MediaPart, { needsBytes }: FetchInput, ready: ReadonlyMap<string, InlineMedia>): MediaPart {
  if (part.source.kind !== 'url' || !needsBytes(part)) return part;
  const media = ready.get(part.source.url);
  if (!media) return part;
  const mediaType = part.mediaType ?? media.mediaType;
  return withTrueLabel({ ...part, mediaType, source: { kind: 'base64', data: media.base64 } });
}
