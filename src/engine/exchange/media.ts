import { isMedia, type MediaPart, type Message, type Part, type ToolResultPart } from '../../domain/exchange/part.ts';
import type { ExchangeRequest } from '../../domain/exchange/request.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { FetchedMedia, MediaFetcher } from '../ports/media-fetcher.ts';

/** What one request has fetched already: another target that needs the same bytes does not fetch them again. */
export type FetchedByUrl = Map<string, Promise<FetchedMedia | Failure>>;

interface Wanted {
  readonly url: string;
  /** The client's path to it. */
  readonly path: string | undefined;
}

interface FetchInput {
  readonly request: ExchangeRequest;
  readonly needsBytes: (part: MediaPart) => boolean;
  readonly fetcher: MediaFetcher;
  readonly fetched: FetchedByUrl;
  readonly signal: () => AbortSignal;
}

/**
 * The request with the bytes in place of the URLs where the upstream takes no URL (design, section 3). A URL that cannot be
 * fetched is the client's own error and names its field.
 */
export function withBytes(input: FetchInput): ExchangeRequest | Promise<ExchangeRequest | Failure> {
  const wanted: Wanted[] = [];
  for (const { parts } of input.request.messages) {
    for (const part of parts) addUrls(part, input, wanted);
  }
  return wanted.length === 0 ? input.request : fetchAll(input, wanted);
}

async function fetchAll(input: FetchInput, wanted: readonly Wanted[]): Promise<ExchangeRequest | Failure> {
  const { fetched, fetcher } = input;
  for (const { url } of wanted) {
    if (!fetched.has(url)) fetched.set(url, fetcher.fetch(url, input.signal()));
  }
  const ready = new Map<string, FetchedMedia>();
  for (const { url, path } of wanted) {
    const media = await fetched.get(url);
    if (media === undefined) continue;
    if (media instanceof Failure) return path === undefined ? media : aboutField(media, path);
    ready.set(url, media);
  }
  const replace = (part: MediaPart) => withSource(part, input, ready);
  return { ...input.request, messages: input.request.messages.map((message) => replaceIn(message, replace)) };
}

function aboutField(failure: Failure, param: string): Failure {
  return new Failure(failure.code, { ...failure.details, param });
}

function addUrls(part: Part, input: FetchInput, wanted: Wanted[]): void {
  if (part.type === 'tool-result') for (const inner of part.content) addUrls(inner, input, wanted);
  else if (isMedia(part) && part.source.kind === 'url' && input.needsBytes(part)) {
    wanted.push({ url: part.source.url, path: part.path });
  }
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

function withSource(part: MediaPart, { needsBytes }: FetchInput, ready: ReadonlyMap<string, FetchedMedia>): MediaPart {
  if (part.source.kind !== 'url' || !needsBytes(part)) return part;
  const media = ready.get(part.source.url);
  if (!media) return part;
  const { bytes, mediaType } = media;
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return { ...part, mediaType: part.mediaType ?? mediaType, source: { kind: 'base64', data } };
}
