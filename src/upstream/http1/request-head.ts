import type { Proxies } from '../proxies.ts';
import { Locators, type Place, type PlaceTls } from './place.ts';

export interface PlainRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

/** What the connection itself says. */
const OWN_HEADERS =
  /^(?:host|connection|content-length|transfer-encoding|keep-alive|te|trailer|upgrade|expect|proxy-(?:authorization|connection))$/i;
const IDEMPOTENT = /^(?:GET|HEAD|PUT|DELETE|OPTIONS|TRACE)$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const NO_CONTENT = /^(?:GET|HEAD)$/;
/** What the length of a body takes at most, and the empty line after it. */
const MOST_LENGTH_BYTES = 64;

/** The head of a request without the length of its body, and where it goes. */
export class RequestHead {
  /** Whether sending it twice does the same as once. */
  readonly isIdempotent: boolean;
  /** As many bytes as `writeTo` takes at most. */
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

  /** Writes the whole head for this body to the beginning of `target`; gives where it ends. */
  writeTo(target: Buffer, body: Uint8Array | null): number {
    target.set(this.bytes, 0);
    const hasLength = body !== null || !NO_CONTENT.test(this.method);
    const end = hasLength ? `content-length: ${body?.length ?? 0}\r\n\r\n` : '\r\n';
    return this.bytes.length + target.write(end, this.bytes.length, 'latin1');
  }

  /** The whole head before a body that is still coming, of a length that may not be known. */
  passing(length: number | null): Uint8Array {
    const framing = length === null ? 'transfer-encoding: chunked' : `content-length: ${length}`;
    return Buffer.concat([this.bytes, Buffer.from(`${framing}\r\n\r\n`, 'latin1')]);
  }
}

/** Makes heads. A target's requests have the same one each time: it is made once for headers that are frozen. */
export class RequestHeads {
  private readonly locators: Locators;
  private readonly known = new WeakMap<PlainRequest['headers'], RequestHead>();

  constructor(proxies: Proxies | null) {
    this.locators = new Locators(proxies);
  }

  /** Throws `TypeError` for a URL or header that cannot be sent. */
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
      // An address stands in the URL of a request whose server is known by a name.
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
  // Within TLS it is the upstream that would read the credentials.
  const authorization = place.tls === false ? place.proxy?.authorization : null;
  if (authorization) text += `proxy-authorization: ${authorization}\r\n`;
  return `${method} ${target} HTTP/1.1\r\nhost: ${ownHost}\r\n${text}`;
}
