import type { GoogleAuth, JWTInput } from 'google-auth-library';
import { z } from 'zod';
import { Failure } from '../../domain/failure/failure.ts';
import { cleanMessage } from '../../formats/shared/failure/clean-message.ts';
import type { ChannelCredentials, Signer } from '../manifest.ts';
import { keyHeader } from '../shared/headers.ts';

/*
 * A channel's key is one of three: the JSON of a service account (or of another Google credential file); nothing, which means the
 * machine's credentials (Google Cloud, "Application Default Credentials"); or an API key of the express mode, which needs no
 * token.
 */

/** An access token and its expiry, in milliseconds since 1970. */
export interface AccessToken {
  readonly token: string;
  readonly expiresAtMs: number;
}

/** Rejects if Google issues no token. */
export type TokenFetcher = () => Promise<AccessToken>;

function isCredentialFile(apiKey: string): boolean {
  return apiKey.trimStart().startsWith('{');
}

export function authorize({ apiKey }: ChannelCredentials): Record<string, string> {
  return apiKey === null || apiKey === '' || isCredentialFile(apiKey) ? {} : keyHeader('x-goog-api-key', apiKey);
}

/** A token is renewed this long before it expires, because a request may be in flight for a while. */
const RENEW_BEFORE_MS = 5 * 60_000;
const LONGEST_WAIT_MS = 15_000;
/** For credentials that do not state the lifetime of their tokens; Google's tokens are valid for an hour. */
const ASSUMED_LIFETIME_MS = 10 * 60_000;

export function signer({ apiKey }: ChannelCredentials): Signer | null {
  if (apiKey === null || apiKey === '') return tokenSigner(fetcherOf(undefined), Date.now);
  if (!isCredentialFile(apiKey)) return null;
  const credentials = parseCredentials(apiKey);
  if (credentials instanceof Failure) return async () => credentials;
  return tokenSigner(fetcherOf(credentials), Date.now);
}

/** Signs with a cached token; however many requests wait for a new one, only one fetch is in flight. */
export function tokenSigner(
  fetchToken: TokenFetcher,
  now: () => number,
  longestWaitMs: number = LONGEST_WAIT_MS,
): Signer {
  let current: AccessToken | null = null;
  let pending: Promise<AccessToken> | null = null;
  const renew = (): Promise<AccessToken> => {
    pending ??= within(longestWaitMs, fetchToken()).finally(() => {
      pending = null;
    });
    return pending;
  };
  return async () => {
    try {
      if (current === null || now() >= current.expiresAtMs - RENEW_BEFORE_MS) {
        try {
          current = await renew();
        } catch (error) {
          // A token that is still valid is better than none.
          if (current === null || now() >= current.expiresAtMs) throw error;
        }
      }
      return { authorization: `Bearer ${current.token}` };
    } catch (error) {
      return noToken(error);
    }
  };
}

function within<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const tooLong = Object.assign(new Error(`no response within ${ms / 1_000} seconds`), { code: 'ETIMEDOUT' });
  const timer = setTimeout(() => reject(tooLong), ms);
  return Promise.race([promise, tooLate]).finally(() => clearTimeout(timer));
}

function fetcherOf(credentials: JWTInput | undefined): TokenFetcher {
  let auth: GoogleAuth | null = null;
  return async () => {
    if (auth === null) {
      // The library takes 50 ms and 20 MB, so it is loaded only if a channel needs it.
      const library = await import('google-auth-library');
      auth = new library.GoogleAuth({
        scopes: 'https://www.googleapis.com/auth/cloud-platform',
        ...(credentials === undefined ? {} : { credentials }),
      });
    }
    const client = await auth.getClient();
    const { token } = await client.getAccessToken();
    if (typeof token !== 'string' || token === '') throw new Error('Google returned no token');
    return { token, expiresAtMs: client.credentials.expiry_date ?? Date.now() + ASSUMED_LIFETIME_MS };
  };
}

function parseCredentials(apiKey: string): JWTInput | Failure {
  try {
    // The library validates the contents and reports problems; here only the fact that it is an object is known.
    return JSON.parse(apiKey) as JWTInput;
  } catch {
    return noToken(new Error('the key is not valid JSON'));
  }
}

/** Google's error for a wrong clock, which an operator has to correct. */
const WRONG_TIME = /reasonable timeframe/;
/** Also reported if the machine's metadata server does not respond. */
const NO_CREDENTIALS_FOUND = /^Could not load the default credentials/;

/**
 * Returns the failure to get a token. `upstream_auth` takes the channel out of use until an operator acts, so it is used only for
 * credentials that Google refuses or that are malformed. An unreachable token server is a temporary failure.
 */
function noToken(error: unknown): Failure {
  const reason = error instanceof Error ? error.message : '';
  return new Failure('upstream_error', {
    kind: kindOf(error, reason),
    message: `The channel's Google credentials did not yield an access token${reason === '' ? '' : `: ${cleanMessage(reason)}`}`,
    retry: 'other-target',
  });
}

function kindOf(error: unknown, reason: string): string {
  if (WRONG_TIME.test(reason)) return 'upstream_auth_expired';
  // The token server's HTTP status, or a text: the system's code for a failed connection, or OpenSSL's for a broken
  // key.
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  const isUnreached =
    typeof code === 'number'
      ? code < 400 || code === 408 || code === 429 || code >= 500
      : (typeof code === 'string' && !code.startsWith('ERR_')) || NO_CREDENTIALS_FOUND.test(reason);
  return isUnreached ? 'token_unavailable' : 'upstream_auth';
}

const GOOGLES = (address: string) => z.literal(address).optional();
const text = z.string().max(10_000);

/**
 * A service account's key as Google issues it. Google's other credential files name files, commands and URLs that the library
 * reads, runs and requests.
 */
const SERVICE_ACCOUNT = z.strictObject({
  type: z.literal('service_account'),
  project_id: text.optional(),
  private_key_id: text.optional(),
  private_key: text,
  client_email: text,
  client_id: text.optional(),
  auth_uri: GOOGLES('https://accounts.google.com/o/oauth2/auth'),
  token_uri: GOOGLES('https://oauth2.googleapis.com/token'),
  auth_provider_x509_cert_url: GOOGLES('https://www.googleapis.com/oauth2/v1/certs'),
  client_x509_cert_url: z
    .string()
    .regex(/^https:\/\/www\.googleapis\.com\/robot\/v1\/metadata\/x509\/[\w%.@-]+$/)
    .optional(),
  universe_domain: GOOGLES('googleapis.com'),
});

/**
 * Returns why an account's own users may not use this key. Without a key, Vertex is called with the machine's own credentials.
 */
export function untrustedKeyProblem(apiKey: string | null): string | null {
  if (apiKey === null || apiKey.trim() === '') return 'is required: an API key, or the JSON of a service account';
  if (!isCredentialFile(apiKey)) return null;
  return SERVICE_ACCOUNT.safeParse(parsed(apiKey)).success
    ? null
    : "must be an API key, or the JSON of a service account's key with Google's own addresses";
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
