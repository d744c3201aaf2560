import { DEFAULT_TIMEOUTS } from '../../domain/catalog/channel.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { jsonExcess } from '../../formats/shared/json/json-extent.ts';
import type { Upstream, UpstreamAnswer, UpstreamBody } from '../ports/upstream.ts';

/** The public lists have a few MiB. */
export const MAXIMUM_LIST_BYTES = 64 * 1024 * 1024;
/** The public lists have some 100,000 values. */
const BOUNDS = { mostValues: 1_000_000, deepest: 100 };
const MAXIMUM_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const HEADERS = { accept: 'application/json', 'user-agent': 'switchyard' };

/** A problem with the location of a list, in one line for the person who gave it. */
export class PriceListError extends Error {}

export interface ListContent {
  readonly bytes: Uint8Array;
  /** When the list was last written, in milliseconds since 1970; `null` if unknown. */
  readonly writtenAtMs: number | null;
}

export interface DownloadOptions {
  readonly upstream: Upstream;
  /** Whether addresses in the gateway's own network are refused, also those of redirects. */
  readonly isGuarded?: boolean;
  readonly maximumBytes?: number;
}

/** Returns a URL that anybody may see, such as clients as the source of a price: without the parts that may contain a secret. */
export function publicAddress(url: URL): string {
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  shown.search = '';
  shown.hash = '';
  return shown.href;
}

/** Returns the URL of a list, or why the text cannot be one. */
export function parseListUrl(text: string): URL | 'no_url' | 'credentials' {
  const url = URL.parse(text);
  if (url === null || !isHttp(url)) return 'no_url';
  if (url.username !== '' || url.password !== '') return 'credentials';
  url.hash = '';
  return url;
}

/** Downloads a list. Throws `PriceListError`. */
export async function downloadList(from: URL, options: DownloadOptions): Promise<ListContent> {
  const { upstream, isGuarded = false, maximumBytes = MAXIMUM_LIST_BYTES } = options;
  let url = from;
  for (let redirects = 0; redirects <= MAXIMUM_REDIRECTS; redirects++) {
    const answer = await upstream.send({
      url: url.href,
      method: 'GET',
      headers: HEADERS,
      body: null,
      timeouts: DEFAULT_TIMEOUTS,
      isGuarded,
    });
    const shown = publicAddress(url);
    if (answer instanceof Failure) throw unreadable(shown, answer);
    if (answer.status === 200) {
      return { bytes: await readBody(shown, answer.body, maximumBytes), writtenAtMs: lastModifiedMs(answer) };
    }
    answer.body.cancel();
    url = redirected(url, answer);
  }
  throw new PriceListError(`${publicAddress(from)} redirects more than ${MAXIMUM_REDIRECTS} times`);
}

/** Returns the JSON of a list. Throws `PriceListError`. */
export function listJson(name: string, bytes: Uint8Array): unknown {
  if (jsonExcess(bytes, BOUNDS) !== null) {
    throw new PriceListError(
      `${name} has more than ${BOUNDS.mostValues} values, or is nested deeper than ${BOUNDS.deepest} levels, the limits for a price list`,
    );
  }
  const text = new TextDecoder().decode(bytes);
  try {
    return JSON.parse(text);
  } catch {
    const isPage = /^\s*</.test(text);
    const hint = isPage ? ': it is a web page; use the URL of the raw file' : '';
    throw new PriceListError(`${name} is not JSON${hint}`);
  }
}

export function listTooLarge(name: string, maximumBytes: number): PriceListError {
  return new PriceListError(`${name} is larger than ${maximumBytes / 1024 / 1024} MiB, the limit for a price list`);
}

function lastModifiedMs({ headers }: UpstreamAnswer): number | null {
  const atMs = Date.parse(headers.get('last-modified') ?? '');
  return Number.isNaN(atMs) ? null : atMs;
}

/** Reads the body piece by piece, because a declared length is that of the compressed content. */
async function readBody(url: string, body: UpstreamBody, maximumBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const piece = await body.read();
    if (piece instanceof Failure) throw unreadable(url, piece);
    if (piece === null) return Buffer.concat(pieces);
    length += piece.length;
    if (length > maximumBytes) {
      body.cancel();
      throw listTooLarge(url, maximumBytes);
    }
    pieces.push(piece);
  }
}

/** Returns the address of a redirect. Throws if it is absent or not allowed. */
function redirected(url: URL, { status, headers }: UpstreamAnswer): URL {
  const location = headers.get('location');
  if (!REDIRECTS.has(status) || location === null) {
    const nothing = status === 404 || status === 410 ? 'there is nothing at this URL ' : '';
    throw new PriceListError(`${publicAddress(url)}: ${nothing}(HTTP ${status})`);
  }
  const target = URL.parse(location, url.href);
  if (target === null || !isHttp(target) || target.username !== '' || target.password !== '') {
    throw new PriceListError(`${publicAddress(url)} redirects to something other than a plain https or http URL`);
  }
  if (url.protocol === 'https:' && target.protocol === 'http:') {
    throw new PriceListError(`${publicAddress(url)} redirects to ${publicAddress(target)}, which is not encrypted`);
  }
  return target;
}

function isHttp({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}

function unreadable(url: string, { kind, message }: Failure): PriceListError {
  return new PriceListError(`${url} cannot be read: ${message.replace(/\.$/, '')} (${kind})`);
}
