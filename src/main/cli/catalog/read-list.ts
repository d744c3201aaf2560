import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { DEFAULT_TIMEOUTS } from '../../../domain/catalog/channel.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { Upstream, UpstreamAnswer, UpstreamBody } from '../../../engine/ports/upstream.ts';
import { CommandError } from '../command-error.ts';
import { printable } from '../table.ts';

/** The public lists have a few. */
const MAXIMUM_BYTES = 64 * 1024 * 1024;
const MAXIMUM_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const HEADERS = { accept: 'application/json', 'user-agent': 'switchyard' };

/** Where a list is read from: a URL, or the path of a file. */
export type ListPlace = { readonly url: URL } | { readonly path: string };

/** Throws `CommandError` for what is neither. */
export function listPlace(from: string): ListPlace {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(from)) return { path: from };
  const url = URL.parse(from);
  if (url === null || !isHttp(url)) {
    throw new CommandError(`--from: must be a file, or a URL that begins with https:// or http://`, 2);
  }
  if (url.username !== '' || url.password !== '') {
    throw new CommandError('--from: the URL must not have a user name or a password in it', 2);
  }
  url.hash = '';
  return { url };
}

/** A URL as it may be shown to anybody, such as to clients as the source of a price: without what may be a secret in it. */
export function publicAddress(url: URL): string {
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  shown.search = '';
  shown.hash = '';
  return shown.href;
}

export interface ReadList {
  readonly json: unknown;
  /** When it was last written, in milliseconds since 1970; `null` where that is not known. */
  readonly writtenAtMs: number | null;
}

interface Content {
  readonly bytes: Uint8Array;
  readonly writtenAtMs: number | null;
}

/** The JSON of a file or a URL. Throws `CommandError` with one line that says what is wrong with the place. */
export async function readList(place: ListPlace, upstream: () => Upstream): Promise<ReadList> {
  const name = 'url' in place ? publicAddress(place.url) : printable(place.path);
  const { bytes, writtenAtMs } = 'url' in place ? await download(place.url, upstream()) : await readFile(place.path);
  const text = new TextDecoder().decode(bytes);
  try {
    return { json: JSON.parse(text), writtenAtMs };
  } catch {
    const isPage = /^\s*</.test(text);
    const hint = isPage ? ': it is a web page; name the address of the raw file' : '';
    throw new CommandError(`${name} is not JSON${hint}`);
  }
}

async function readFile(path: string): Promise<Content> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  let writtenAtMs: number | null = null;
  try {
    const stats = await stat(path);
    // A pipe has no such time.
    if (stats.isFile()) writtenAtMs = stats.mtimeMs;
    for await (const piece of createReadStream(path) as AsyncIterable<Uint8Array>) {
      length += piece.length;
      if (length > MAXIMUM_BYTES) throw tooLarge(printable(path));
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${printable(path)} cannot be read: ${reasonOf(error)}`);
  }
  return { bytes: Buffer.concat(pieces), writtenAtMs };
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'it is a folder';
  return code === 'EACCES' ? 'permission denied' : message;
}

async function download(from: URL, upstream: Upstream): Promise<Content> {
  let url = from;
  for (let redirects = 0; redirects <= MAXIMUM_REDIRECTS; redirects++) {
    const { href } = url;
    const answer = await upstream.send({
      url: href,
      method: 'GET',
      headers: HEADERS,
      body: null,
      timeouts: DEFAULT_TIMEOUTS,
    });
    const shown = publicAddress(url);
    if (answer instanceof Failure) throw unreadable(shown, answer);
    if (answer.status === 200) {
      return { bytes: await readBody(shown, answer.body), writtenAtMs: lastModifiedMs(answer) };
    }
    answer.body.cancel();
    url = redirected(url, answer);
  }
  throw new CommandError(`${publicAddress(from)} redirects more than ${MAXIMUM_REDIRECTS} times`);
}

function lastModifiedMs({ headers }: UpstreamAnswer): number | null {
  const atMs = Date.parse(headers.get('last-modified') ?? '');
  return Number.isNaN(atMs) ? null : atMs;
}

/** In pieces, because a length that is declared is that of the compressed text. */
async function readBody(url: string, body: UpstreamBody): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const piece = await body.read();
    if (piece instanceof Failure) throw unreadable(url, piece);
    if (piece === null) return Buffer.concat(pieces);
    length += piece.length;
    if (length > MAXIMUM_BYTES) {
      body.cancel();
      throw tooLarge(url);
    }
    pieces.push(piece);
  }
}

/** The address of a redirect; an error if there is none, or if it is not allowed. */
function redirected(url: URL, { status, headers }: UpstreamAnswer): URL {
  const location = headers.get('location');
  if (!REDIRECTS.has(status) || location === null) {
    const nothing = status === 404 || status === 410 ? 'there is nothing at this address ' : '';
    throw new CommandError(`${publicAddress(url)}: ${nothing}(HTTP ${status})`);
  }
  const target = URL.parse(location, url.href);
  if (target === null || !isHttp(target) || target.username !== '' || target.password !== '') {
    throw new CommandError(`${publicAddress(url)} redirects to what is no plain https or http address`);
  }
  if (url.protocol === 'https:' && target.protocol === 'http:') {
    throw new CommandError(`${publicAddress(url)} redirects to ${publicAddress(target)}, which is not encrypted`);
  }
  return target;
}

function isHttp({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}

function unreadable(url: string, { kind, message }: Failure): CommandError {
  return new CommandError(`${url} cannot be read: ${message.replace(/\.$/, '')} (${kind})`);
}

function tooLarge(name: string): CommandError {
  return new CommandError(`${name} is larger than ${MAXIMUM_BYTES / 1024 / 1024} MiB, which no price list is`);
}
