import { SIGN_IN_PATH, type SignedIn } from '../shape.ts';
import type { SignIn } from '../sign-in.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** A browser that keeps its cookies, and sends the headers that browsers send. */
export class Visitor {
  readonly cookies = new Map<string, string>();
  /** All received bodies. */
  readonly seen: string[] = [];

  constructor(
    private readonly signIn: SignIn,
    readonly address = '203.0.113.7',
    private readonly publicOrigin = 'https://ai.example.com',
  ) {}

  async post(path: string, body: object = {}, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return await this.send('POST', path, body, { origin: new URL(this.publicOrigin).origin, ...headers });
  }

  async get(path: string): Promise<Answer> {
    return await this.send('GET', path, null, {});
  }

  async send(
    method: string,
    path: string,
    body: object | null,
    headers: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    const request = new Request(`http://internal${SIGN_IN_PATH}${path}`, {
      method,
      headers: { ...headers, cookie: this.cookie, 'content-type': 'application/json' },
      ...(body === null ? {} : { body: JSON.stringify(body) }),
    });
    const { publicOrigin, address } = this;
    const answer = await this.signIn.handle(request, { address, publicOrigin, requestId: 'req_1' });
    for (const cookie of answer.headers.getSetCookie()) this.keep(cookie);
    const text = await answer.text();
    this.seen.push(text);
    return { status: answer.status, headers: answer.headers, body: text === '' ? {} : JSON.parse(text), text };
  }

  async who(): Promise<SignedIn | null> {
    return await this.signIn.personOf(new Headers({ cookie: this.cookie }), this.publicOrigin);
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  private keep(cookie: string): void {
    const [pair = '', ...attributes] = cookie.split(';');
    const at = pair.indexOf('=');
    const isGone = attributes.some((one) => /^\s*max-age=0$/i.test(one));
    if (isGone) this.cookies.delete(pair.slice(0, at));
    else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
  }
}
