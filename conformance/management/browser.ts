import { createHmac } from 'node:crypto';
import { asObject } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';

export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Readonly<Record<string, unknown>>;
}

/**
 * A person's browser: it keeps cookies and sends the origin of its requests; each request may go to another
 * node.
 */
export class Browser {
  private readonly cookies = new Map<string, string>();
  /** The bodies of all responses. */
  readonly transcript: string[] = [];

  constructor(private readonly nodes: readonly Pick<Serving, 'origin'>[]) {}

  /** Sends a request by a script of a page, to a path of the first node; the response may be a stream. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const { origin } = this.nodes[0] as Pick<Serving, 'origin'>;
    const headers = new Headers(init.headers);
    const own = { origin, 'sec-fetch-site': 'same-origin', cookie: this.cookie };
    for (const [name, value] of Object.entries(own)) if (!headers.has(name)) headers.set(name, value);
    return await fetch(`${origin}${path}`, { ...init, headers, redirect: 'manual' });
  }

  /** @param line such as `POST /keys?account_id=acme`, below the management API */
  async ask(node: number, line: string, body?: object): Promise<Seen> {
    const { origin } = this.nodes[node % this.nodes.length] as Pick<Serving, 'origin'>;
    const [method = 'GET', path = ''] = line.split(' ');
    const answer = await fetch(`${origin}/v1/management${path}`, {
      method,
      headers: {
        origin,
        'sec-fetch-site': 'same-origin',
        cookie: this.cookie,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      redirect: 'manual',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    for (const line of answer.headers.getSetCookie()) this.keep(line);
    const text = await answer.text();
    this.transcript.push(text);
    return {
      status: answer.status,
      headers: answer.headers,
      json: text.startsWith('{') ? asObject(JSON.parse(text)) : {},
    };
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** The values of its cookies. */
  get secrets(): readonly string[] {
    return [...this.cookies.values()];
  }

  private keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';');
    const name = pair.slice(0, pair.indexOf('='));
    const isGone = attributes.some((one) => /^\s*max-age=0$/i.test(one));
    if (isGone) this.cookies.delete(name);
    else this.cookies.set(name, pair.slice(pair.indexOf('=') + 1));
  }
}

/** Returns the code of an authenticator (RFC 6238), `stepsAhead` steps of 30 s from now. */
export function codeOf(totpUri: string, stepsAhead = 0): string {
  const key = fromBase32(new URL(totpUri).searchParams.get('secret') ?? '');
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + stepsAhead));
  const digest = createHmac('sha1', key).update(counter).digest();
  const at = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(at) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}

function fromBase32(text: string): Buffer {
  let bits = '';
  for (const letter of text.toUpperCase().replace(/=+$/, '')) {
    bits += 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0');
  }
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
