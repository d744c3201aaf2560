import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';

interface Grant {
  readonly claims: object;
  readonly nonce: string | null;
}

/** A small OpenID Connect issuer that authenticates everybody. */
export class FakeIssuer {
  private readonly keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  private latest: object = {};
  private readonly grants = new Map<string, Grant>();
  private readonly server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => this.answer(request) });

  /**
   * @param believed the claims about everybody who visits its page
   * @param givesIdToken whether it returns an ID token, as OpenID Connect demands, or only user info
   */
  constructor(
    private readonly believed: object = {},
    private readonly givesIdToken = true,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  /** Returns the query with which the browser returns after the person has consented. */
  authorize(url: string, claims: object): string {
    const { searchParams } = new URL(url);
    const code = crypto.randomUUID();
    this.grants.set(code, { claims, nonce: searchParams.get('nonce') });
    return `?code=${code}&state=${encodeURIComponent(searchParams.get('state') ?? '')}`;
  }

  stop(): void {
    this.server.stop(true);
  }

  private async answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/authorize') {
      const back = searchParams.get('redirect_uri') ?? '';
      return Response.redirect(back + this.authorize(request.url, this.believed));
    }
    if (pathname === '/.well-known/openid-configuration') {
      return Response.json({
        issuer: this.url,
        authorization_endpoint: `${this.url}/authorize`,
        token_endpoint: `${this.url}/token`,
        jwks_uri: `${this.url}/jwks`,
        userinfo_endpoint: `${this.url}/userinfo`,
        id_token_signing_alg_values_supported: ['RS256'],
      });
    }
    if (pathname === '/jwks') {
      const jwk = this.keys.publicKey.export({ format: 'jwk' });
      return Response.json({ keys: [{ ...jwk, kid: '1', use: 'sig', alg: 'RS256' }] });
    }
    if (pathname === '/userinfo') return Response.json(this.latest);
    const grant = this.grants.get(new URLSearchParams(await request.text()).get('code') ?? '');
    if (grant === undefined) return Response.json({ error: 'invalid_grant' }, { status: 400 });
    this.latest = grant.claims;
    if (!this.givesIdToken) return Response.json({ access_token: 'access', token_type: 'Bearer', expires_in: 300 });
    const seconds = Math.floor(Date.now() / 1_000);
    const own = { iss: this.url, aud: 'c', iat: seconds, exp: seconds + 300 };
    const claims = { ...own, ...grant.claims, ...(grant.nonce === null ? {} : { nonce: grant.nonce }) };
    const id_token = signed(claims, this.keys.privateKey);
    return Response.json({ access_token: 'access', token_type: 'Bearer', expires_in: 300, id_token });
  }
}

function signed(claims: object, key: KeyObject): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'RS256', kid: '1' })}.${part(claims)}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`;
}
