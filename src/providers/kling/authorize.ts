import { Failure } from '../../domain/failure/failure.ts';
import type { ChannelCredentials, Signer } from '../manifest.ts';
import { bearer } from '../shared/headers.ts';

/*
 * A channel's key is an access key and its secret, joined by a colon, which sign short-lived tokens (Kling's "General Info": JSON
 * web tokens of half an hour, HS256); or an API key of the newer kind, which is sent as it is.
 */

const LIFETIME_SECONDS = 1_800;
/** How far the provider's clock may be behind. */
const VALID_BEFORE_SECONDS = 5;
/** A token is renewed this long before it expires, because a request may be in flight for a while. */
const RENEW_BEFORE_SECONDS = 300;

export function authorize({ apiKey }: ChannelCredentials): Record<string, string> {
  return apiKey?.includes(':') === true ? {} : bearer(apiKey);
}

export function signer({ apiKey }: ChannelCredentials, now: () => number = Date.now): Signer | null {
  if (apiKey === null || !apiKey.includes(':')) return null;
  const colon = apiKey.indexOf(':');
  const accessKey = apiKey.slice(0, colon);
  const secretKey = apiKey.slice(colon + 1);
  if (accessKey === '' || secretKey === '') return async () => noKeys();
  let token = '';
  let issuedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const seconds = Math.floor(now() / 1_000);
    // If the clock was set back, the token is not valid yet.
    if (seconds < issuedAt || seconds >= issuedAt + LIFETIME_SECONDS - RENEW_BEFORE_SECONDS) {
      token = await signedToken(accessKey, secretKey, seconds);
      issuedAt = seconds;
    }
    return { authorization: `Bearer ${token}` };
  };
}

const text = new TextEncoder();
const HMAC = { name: 'HMAC', hash: 'SHA-256' };
const UNPADDED = { alphabet: 'base64url', omitPadding: true } as const;

/** Returns a signed token; `seconds` is the time of issue, since 1970. */
async function signedToken(accessKey: string, secretKey: string, seconds: number): Promise<string> {
  const header = encoded({ alg: 'HS256', typ: 'JWT' });
  const claims = encoded({
    iss: accessKey,
    exp: seconds + LIFETIME_SECONDS,
    nbf: seconds - VALID_BEFORE_SECONDS,
  });
  const key = await crypto.subtle.importKey('raw', text.encode(secretKey), HMAC, false, ['sign']);
  const signature = await crypto.subtle.sign(HMAC, key, text.encode(`${header}.${claims}`));
  return `${header}.${claims}.${new Uint8Array(signature).toBase64(UNPADDED)}`;
}

function encoded(value: object): string {
  return text.encode(JSON.stringify(value)).toBase64(UNPADDED);
}

function noKeys(): Failure {
  return new Failure('upstream_error', {
    kind: 'upstream_auth',
    message: "The channel's key must be an access key and its secret key, joined by a colon, or an API key.",
    retry: 'other-target',
  });
}
