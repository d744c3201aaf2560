import type { Proxies } from '../proxies.ts';
import { Locators, type Place, type PlaceTls } from './place.ts';

export interface PlainRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

/** Headers that the connection itself sets. */
const OWN_HEADERS =
  /^(?:host|connection|content-length|transfer-encoding|keep-alive|te|trailer|upgrade|expect|proxy-(?:authorization|connection))$/i;
const IDEMPOTENT = /^(?:GET|HEAD|PUT|DELETE|OPTIONS|TRACE)$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const NO_CONTENT = /^(?:GET|HEAD)$/;
/** Room for the body's length and the empty line after it. */
const MOST_LENGTH_BYTES = 64;

/** The head of a request without its body's length, and its destination. */
export class RequestHead {
  /** Whether the request can be repeated safely. */
  readonly isIdempotent: boolean;
  /** The maximum number of bytes that `writeTo` writes. */
  readonly mostBytes: number;
  private readonly bytes: Buffer;

  constructor(
    readonly url: string,
    readonly method: string,
    readonly place: Place,
    text: string,
  ) {
    this.isIdempotent = IDEMPOTENT.test(method);
    this.bytes = Buffer.from(text, 'latin1');
    this.mostBytes = this.bytes.length + MOST_LENGTH_BYTES;
  }

  /** Writes the head for this body to the beginning of `target`; returns where it ends. */
  writeTo(target: Buffer, body: Uint8Array | null): number {
    target.set(this.bytes, 0);
    const hasLength = body !== null || !NO_CONTENT.test(this.method);
    const end = hasLength ? `content-length: ${body?.length ?? 0}\r\n\r\n` : '\r\n';
    return this.bytes.length + target.write(end, this.bytes.length, 'latin1');
  }

  /** Returns the head for a streamed body, whose length may be unknown. */
  passing(length: number | null): Uint8Array {
    const framing = length === null ? 'transfer-encoding: chunked' : `content-length: ${length}`;
    return Buffer.concat([this.bytes, Buffer.from(`${framing}\r\n\r\n`, 'latin1')]);
  }
}

/** Makes heads. A target's requests repeat the same head, which is cached for frozen headers. */
export class RequestHeads {
  private readonly locators: Locators;
  private readonly known = new WeakMap<PlainRequest['headers'], RequestHead>();

  constructor(proxies: Proxies | null) {
    this.locators = new Locators(proxies);
  }

  /** Throws `TypeError` for an invalid URL or header. */
  of({ url, method, headers }: Omit<PlainRequest, 'body'>, tls: PlaceTls | undefined): RequestHead {
    const known = tls === undefined ? this.known.get(headers) : undefined;
    if (known !== undefined && known.url === url && known.method === method) return known;
    const { place, target } = this.locators.find(url, tls);
    const head = new RequestHead(url, method, place, headText(method, target, place, headers));
    if (tls === undefined && Object.isFrozen(headers)) this.known.set(headers, head);
    return head;
  }
}

function headText(method: string, target: string, place: Place, headers: PlainRequest['headers']): string {
  let ownHost = place.host;
  let text = '';
  let accepts = false;
  let encodings = false;
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (!NAME.test(name) || !VALUE.test(value))
      throw new TypeError(`The header ${JSON.stringify(name)} cannot be sent.`);
    if (OWN_HEADERS.test(name)) {
      // The URL of a guarded request has an address in place of the server's name, so a `host` header is allowed.
      if (name.toLowerCase() === 'host') ownHost = value;
      continue;
    }
    const lower = name.toLowerCase();
    if (lower === 'accept') accepts = true;
    else if (lower === 'accept-encoding') encodings = true;
    text += `${name}: ${value}\r\n`;
  }
  if (!accepts) text += 'accept: */*\r\n';
  if (!encodings) text += 'accept-encoding: identity\r\n';
  // For TLS, the upstream would receive the credentials.
  const authorization = place.tls === false ? place.proxy?.authorization : null;
  if (authorization) text += `proxy-authorization: ${authorization}\r\n`;
  return `${method} ${target} HTTP/1.1\r\nhost: ${ownHost}\r\n${text}`;
}
