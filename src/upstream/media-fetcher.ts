import http from 'node:http';
import type { Socket } from 'node:net';
import { ByteBudget } from '../domain/access/byte-budget.ts';
import { Failure } from '../domain/failure/failure.ts';
import type { MemoryFigures, QueueFigures } from '../engine/ports/figures.ts';
import {
  type FetchedMedia,
  type MediaFetcher,
  type MediaSettings,
  type MediaStreams,
  OPEN_MEDIA_IDLE_MS,
  OPEN_MEDIA_TOTAL_MS,
  type OpenedMedia,
  type OpenMediaOptions,
  type RequestMedia,
} from '../engine/ports/media-fetcher.ts';
import { AddressGuard, type Resolve } from './address-guard.ts';
import { connectGuarded } from './guarded-connection.ts';
import * as failures from './media-failure.ts';
import { mediaTypeOf } from './media-type.ts';
import { NameResolver } from './name-resolver.ts';
import { PassedFile } from './passed-file.ts';
import { Slots } from './slots.ts';

export interface MediaFetcherOptions {
  readonly settings: MediaSettings;
  /** Replaces the name servers. */
  readonly resolve?: Resolve;
  /** Replaces the addresses of this machine's interfaces. */
  readonly ownAddresses?: () => readonly string[];
  /** Replaces the usual delay of a refusal. */
  readonly refusalMs?: number;
  /** Certificates to trust instead of the system's; PEM. */
  readonly certificateAuthorities?: readonly string[];
}

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Longer than any signed URL of a storage service. */
const MAX_URL_CHARACTERS = 16_384;
const MAX_HEADER_BYTES = 16_384;
/** The queue's length per concurrent fetch; further fetches are refused. */
const WAITING_PER_SLOT = 4;
/** An account's share of the slots and the memory. */
const ACCOUNT_SHARE = 0.5;
/**
 * The memory per byte of a file while its request lasts: the base64 text and the encoded body take 1.33 each, and writing that body another
 * 1.33 temporarily.
 */
const HELD_PER_BYTE = 4;

/** Nothing that identifies the installation or the client: no cookies, no referrer, no credentials. */
const HEADERS = {
  accept: '*/*',
  'accept-encoding': 'identity',
  connection: 'close',
  'user-agent': 'Mozilla/5.0 (compatible; Switchyard media fetcher)',
};

export interface MeasuredMediaFetcher extends MediaFetcher {
  /** The memory of fetched files. */
  readonly figures: MemoryFigures;
  /** The files that wait for a slot, and those that are streamed. */
  readonly queues: { readonly fetches: () => QueueFigures; readonly streams: () => QueueFigures };
}

/**
 * Creates a fetcher of the files that prompts refer to. Clients must not reach the gateway's own network through it: every host, of every
 * redirect, is resolved once, all its addresses are checked, and the connection goes to a checked address. It therefore uses its own
 * sockets: `fetch` would resolve again, and would use a proxy from the environment.
 */
export function createMediaFetcher(options: MediaFetcherOptions): MeasuredMediaFetcher {
  const { settings, ownAddresses, refusalMs } = options;
  const { allowedRanges, deniedRanges, maxConcurrent, maxHeldBytes } = settings;
  const names = new NameResolver();
  const resolve = options.resolve ?? ((hostname, signal) => names.resolve(hostname, signal));
  const waiting = maxConcurrent * WAITING_PER_SLOT;
  const bounds = {
    running: maxConcurrent,
    runningPerAccount: Math.ceil(maxConcurrent * ACCOUNT_SHARE),
    waiting,
    waitingPerAccount: Math.ceil(waiting * ACCOUNT_SHARE),
  };
  const shared: Shared = {
    options,
    guard: new AddressGuard({ allowedRanges, deniedRanges, resolve, ownAddresses, refusalMs }),
    slots: new Slots(bounds),
    slotsOfPassed: new Slots(bounds),
    budget: new ByteBudget({ total: maxHeldBytes, perAccount: Math.ceil(maxHeldBytes * ACCOUNT_SHARE) }),
  };
  return {
    maxUrls: settings.maxUrls,
    get figures() {
      return shared.budget.figures;
    },
    queues: { fetches: () => shared.slots.figures, streams: () => shared.slotsOfPassed.figures },
    open: (accountId) => new FilesOfRequest(shared, accountId),
  };
}

/** State that the fetches of all requests share. */
interface Shared {
  readonly options: MediaFetcherOptions;
  readonly guard: AddressGuard;
  readonly slots: Slots;
  /** The slots for files that are streamed, which may take minutes: they must not delay files that requests wait for. */
  readonly slotsOfPassed: Slots;
  readonly budget: ByteBudget;
}

/** The files of one request, and the memory reserved for them. */
class FilesOfRequest implements RequestMedia, MediaStreams {
  private heldBytes = 0;
  private readonly running = new Set<{ cut(verdict: Failure): void }>();
  private isOver = false;

  constructor(
    private readonly shared: Shared,
    readonly accountId: string,
  ) {}

  async fetch(
    url: string,
    { uses = 1, signal }: { readonly uses?: number; readonly signal?: AbortSignal } = {},
  ): Promise<FetchedMedia | Failure> {
    if (this.isOver) return failures.clientGone();
    const { slots } = this.shared;
    const { totalMs } = this.shared.options.settings;
    const receive: Receive<FetchedMedia> = (answer, fetch) => this.collect(answer, fetch, uses);
    return this.run(
      new MediaFetch({ shared: this.shared, accountId: this.accountId, slots, totalMs, receive }),
      url,
      signal,
    );
  }

  async open(url: string, options: OpenMediaOptions): Promise<OpenedMedia | Failure> {
    if (this.isOver) return failures.clientGone();
    const { maxBytes, signal, totalMs = OPEN_MEDIA_TOTAL_MS, idleMs = OPEN_MEDIA_IDLE_MS } = options;
    const { promise, resolve } = Promise.withResolvers<OpenedMedia | Failure>();
    // The fetch, with its slot, lasts until the last byte was passed on.
    const receive: Receive<null> = async (answer, fetch) => {
      const problem = problemOfHead(answer, fetch.place, maxBytes);
      if (problem !== null) return problem;
      const file = new PassedFile({ answer, fetch, maxBytes, idleMs });
      resolve(await file.open());
      await file.ended;
      return null;
    };
    const { shared, accountId } = this;
    const fetch = new MediaFetch({ shared, accountId, slots: shared.slotsOfPassed, totalMs, receive });
    this.run(fetch, url, signal).then((result) => resolve(result ?? failures.clientGone()));
    return promise;
  }

  private async run<Result>(fetch: MediaFetch<Result>, url: string, signal: AbortSignal | undefined) {
    this.running.add(fetch);
    const result = await fetch.run(url, signal);
    this.running.delete(fetch);
    return result;
  }

  private async collect(
    answer: http.IncomingMessage,
    fetch: MediaFetch<FetchedMedia>,
    uses: number,
  ): Promise<FetchedMedia | Failure> {
    const { place } = fetch;
    const { maxBytes } = this.shared.options.settings;
    const problem = problemOfHead(answer, place, maxBytes);
    if (problem !== null) return problem;
    const pieces: Uint8Array[] = [];
    let length = 0;
    for await (const piece of answer as AsyncIterable<Uint8Array>) {
      length += piece.length;
      if (length > maxBytes) return failures.tooLarge(place, maxBytes);
      if (!this.hold(piece.length * uses * HELD_PER_BYTE)) return failures.memoryFull();
      pieces.push(piece);
    }
    if (fetch.verdict !== null) return fetch.verdict;
    if (!answer.complete) return failures.transportProblem(place, null);
    if (length === 0) return failures.emptyContent(place);
    const bytes = joined(pieces, length);
    return { bytes, mediaType: mediaTypeOf(answer.headers['content-type'], bytes) };
  }

  /** Reserves memory; returns false if there is not enough. */
  private hold(bytes: number): boolean {
    if (this.isOver || !this.shared.budget.take(this.accountId, bytes)) return false;
    this.heldBytes += bytes;
    return true;
  }

  release(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.shared.budget.give(this.accountId, this.heldBytes);
    for (const fetch of this.running) fetch.cut(failures.clientGone());
  }
}

/** Handles the final host's answer, whatever its status; the connection is closed afterwards. */
type Receive<Result> = (answer: http.IncomingMessage, fetch: MediaFetch<Result>) => Promise<Result | Failure>;

interface MediaFetchOptions<Result> {
  readonly shared: Shared;
  readonly accountId: string;
  readonly slots: Slots;
  readonly totalMs: number;
  readonly receive: Receive<Result>;
}

/** One file that is being fetched. */
class MediaFetch<Result> {
  private readonly abort = new AbortController();
  private readonly shared: Shared;
  /** Why the gateway itself ended the fetch; `signal` fires then. */
  verdict: Failure | null = null;
  readonly signal = this.abort.signal;
  /** The current host, for messages, once it is known. */
  place = 'the media URL';

  constructor(private readonly options: MediaFetchOptions<Result>) {
    this.shared = options.shared;
  }

  async run(text: string, client: AbortSignal | undefined): Promise<Result | Failure> {
    if (client?.aborted) return failures.clientGone();
    const url = this.parse(text);
    if (url instanceof Failure) return url;
    const { totalMs } = this.options;
    const timer = setTimeout(() => this.cut(failures.totalTimedOut(this.place, totalMs)), totalMs);
    const onClientGone = () => this.cut(failures.clientGone());
    client?.addEventListener('abort', onClientGone, { once: true });
    try {
      return await this.inTurn(url);
    } catch (error) {
      return this.verdict ?? failures.transportProblem(this.place, error);
    } finally {
      clearTimeout(timer);
      client?.removeEventListener('abort', onClientGone);
    }
  }

  cut(verdict: Failure): void {
    this.verdict ??= verdict;
    this.abort.abort(this.verdict);
  }

  private async inTurn(url: URL): Promise<Result | Failure> {
    const { slots, accountId } = this.options;
    const release = await slots.acquire(accountId, this.abort.signal);
    if (release === null) return failures.queueFull();
    try {
      return await this.follow(url);
    } finally {
      release();
    }
  }

  private async follow(start: URL): Promise<Result | Failure> {
    let url = start;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const result = await this.get(url);
      if (!(result instanceof URL)) return result;
      url = result;
      const from = start.host === url.host ? '' : ` (redirected to from "${shownHost(start)}")`;
      this.place = `the media host "${shownHost(url)}"${from}`;
      const problem = this.problemOf(url);
      if (problem !== null) return problem;
    }
    return failures.tooManyRedirects(this.place, MAX_REDIRECTS);
  }

  private parse(text: string): URL | Failure {
    if (text.length > MAX_URL_CHARACTERS) return failures.urlTooLong(MAX_URL_CHARACTERS);
    const url = URL.parse(text);
    if (url === null) return failures.invalidUrl();
    if (url.hostname !== '') this.place = `the media host "${shownHost(url)}"`;
    return this.problemOf(url) ?? url;
  }

  private problemOf(url: URL): Failure | null {
    const { allowHttp } = this.shared.options.settings;
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowHttp)) {
      return failures.wrongScheme(this.place, url.protocol, allowHttp);
    }
    return url.username !== '' || url.password !== '' ? failures.credentialsInUrl(this.place) : null;
  }

  /** Resolves to the file, or to the target of a redirect. */
  private async get(url: URL): Promise<Result | URL | Failure> {
    const { signal } = this.abort;
    const socket = await this.connect(url);
    if (socket instanceof Failure) return socket;
    const onAbort = () => socket.destroy();
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      const answer = await requestOver(socket, url);
      const status = answer.statusCode ?? 0;
      const { location } = answer.headers;
      if (!REDIRECTS.has(status) || location === undefined) return await this.options.receive(answer, this);
      return URL.parse(location, url.href) ?? failures.badRedirect(this.place);
    } finally {
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
    }
  }

  private async connect(url: URL): Promise<Socket | Failure> {
    const { connectMs } = this.shared.options.settings;
    const { certificateAuthorities } = this.shared.options;
    const { guard } = this.shared;
    const reached = await connectGuarded({ guard, url, connectMs, certificateAuthorities }, this.abort.signal);
    if (reached.kind === 'connected') return reached.socket;
    if (reached.kind === 'refused') return failures.addressRefused(this.place);
    return failures.connectTimedOut(this.place, connectMs);
  }
}

/** Returns why the answer cannot be the file, judged by its head; `null` if it may be. */
function problemOfHead(answer: http.IncomingMessage, place: string, maxBytes: number): Failure | null {
  const { statusCode = 0, headers } = answer;
  if (statusCode !== 200) return failures.answeredWith(place, statusCode);
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') return failures.encodedContent(place);
  return Number(headers['content-length'] ?? 0) > maxBytes ? failures.tooLarge(place, maxBytes) : null;
}

/** Sends the request over an open connection; resolves to the answer's head. */
function requestOver(socket: Socket, url: URL): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = http.request({
      createConnection: () => socket,
      host: url.hostname,
      path: url.pathname + url.search,
      setHost: false,
      headers: { ...HEADERS, host: url.host },
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    request.once('response', resolve);
    // No upgrade was requested, and without a listener such an answer would never end.
    request.once('upgrade', () => reject(new Error('the host switched protocols')));
    // Stays attached for the connection's lifetime: nothing else handles an error after the answer's end.
    request.on('error', reject);
    request.end();
  });
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** Returns the host for a message. A name has at most 253 characters (RFC 1035), so a longer host is truncated. */
function shownHost({ host }: URL): string {
  return host.length <= 260 ? host : `${host.slice(0, 260)}…`;
}
