import { Failure } from '../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../domain/http/answer-headers.ts';
import type { FileSource } from '../../domain/tasks/job.ts';
import { nextUrl } from '../call/answer-parts.ts';
import { detachedClient, refused, send } from '../call/send.ts';
import type { Target } from '../directory/target.ts';
import type { MediaContent } from '../ports/media-store.ts';
import type { UpstreamBody } from '../ports/upstream.ts';
import type { TaskPorts } from './task-ports.ts';

export interface OpenFile {
  readonly content: MediaContent;
  /** The type reported by the server; `null` if it reports none. */
  readonly mediaType: string | null;
  /** Must be called when the content has been read or is not needed. */
  release(): void;
}

export interface FilePlace {
  readonly accountId: string;
  readonly target: Target;
  readonly source: FileSource;
}

const DATA_URI = /^data:([\w.+-]{1,60}\/[\w.+-]{1,60})?(?:;[\w.+=-]{1,80}){0,4};base64,/i;
const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MOST_REDIRECTS = 3;
/** Long enough for a large file from a slow host. */
const LONGEST_FILE_MS = 1_800_000;

/**
 * Opens a file that an upstream has made. Public URLs are read behind the guard against private addresses, and without the channel's key.
 */
export function openFile(ports: TaskPorts, place: FilePlace): Promise<OpenFile | Failure> {
  const { source } = place;
  if (source.kind === 'base64') return Promise.resolve(fromBase64(source.base64, null));
  if (source.kind === 'channel') return openAtChannel(ports, place, source.url);
  const [head, mediaType = null] = DATA_URI.exec(source.url.slice(0, 512)) ?? [];
  if (head !== undefined) return Promise.resolve(fromBase64(source.url.slice(head.length), mediaType));
  return openPublic(ports, place.accountId, source.url);
}

function fromBase64(text: string, mediaType: string | null): OpenFile | Failure {
  if (text === '' || !BASE64.test(text)) return unreadable('The provider returned a file that is not valid base64.');
  const bytes = new Uint8Array(Buffer.from(text, 'base64'));
  return { content: { kind: 'bytes', bytes }, mediaType, release: () => undefined };
}

async function openPublic(ports: TaskPorts, accountId: string, url: string): Promise<OpenFile | Failure> {
  const files = ports.media.open(accountId);
  const { maxFileBytes: maxBytes } = ports.settings;
  const opened = await files.open(url, { maxBytes, totalMs: LONGEST_FILE_MS });
  if (opened instanceof Failure) {
    files.release();
    // The URL came from the upstream, so this is not the client's error.
    return new Failure('upstream_error', { kind: `result_${opened.kind}`, message: opened.message });
  }
  const { stream, mediaType } = opened;
  return { content: { kind: 'stream', stream, maxBytes }, mediaType, release: () => files.release() };
}

/** Opens a file with the channel's key. A redirect to another domain is followed without the key. */
async function openAtChannel(ports: TaskPorts, place: FilePlace, said: string): Promise<OpenFile | Failure> {
  const { target, accountId } = place;
  let url = nextUrl(target.baseUrl, said);
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const answer = await send(ports.upstream, {
      ids: null,
      ...{ target, url, client: detachedClient(accountId) },
      headers: { ...target.headers, accept: '*/*' },
      timeouts: { ...target.timeouts.whole, totalMs: LONGEST_FILE_MS },
      prepared: { method: 'GET', body: null, headers: null, losses: [], extras: null },
    });
    if (answer instanceof Failure) return answer;
    const location = REDIRECTS.has(answer.status) ? answer.headers.get('location') : null;
    if (location === null) {
      if (answer.status < 200 || answer.status > 299) return target.secrets.cleaned(await refused(target, answer));
      return { ...streamed(answer.body, ports.settings.maxFileBytes), mediaType: typeIn(answer.headers) };
    }
    answer.body.cancel();
    const next = URL.parse(location, url);
    if (next === null) return unreadable('The provider redirected to an invalid URL.');
    if (nextUrl(target.baseUrl, next.href) !== next.href) return openPublic(ports, accountId, next.href);
    url = next.href;
  }
  return unreadable('The provider redirected too many times.');
}

function streamed(body: UpstreamBody, maxBytes: number): Pick<OpenFile, 'content' | 'release'> {
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const piece = await body.read();
        if (piece === null) controller.close();
        else if (piece instanceof Failure) controller.error(new Error(piece.message));
        else controller.enqueue(new Uint8Array(piece));
      },
      cancel: () => body.cancel(),
    },
    { highWaterMark: 0 },
  );
  return { content: { kind: 'stream', stream, maxBytes }, release: () => body.cancel() };
}

function typeIn(headers: AnswerHeaders): string | null {
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  return /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type.trim()) ? type.trim().toLowerCase() : null;
}

function unreadable(message: string): Failure {
  return new Failure('upstream_error', { kind: 'result_unreadable', message, retry: 'never' });
}
