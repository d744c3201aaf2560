import { kyselyAdapter } from '@better-auth/kysely-adapter';
import { passkey } from '@better-auth/passkey';
import { APIError, type BetterAuthOptions, betterAuth } from 'better-auth';
import { createAuthMiddleware, getSessionFromCtx, isAPIError } from 'better-auth/api';
import { genericOAuth, twoFactor } from 'better-auth/plugins';
import { Kysely } from 'kysely';
import { canonicalEmail } from '../domain/access/user.ts';
import { randomBase62 } from '../engine/access/secrets.ts';
import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../engine/admin/schema/people.ts';
import type { PeopleStore } from '../engine/ports/people-store.ts';
import type { OidcProvider } from '../engine/settings/settings.ts';
import { COOKIE_PREFIX, isSecureOrigin } from './cookies.ts';
import { signInDialect } from './dialect.ts';
import { withHashedTokens } from './hashed-tokens.ts';
import { requestNotes } from './notes.ts';
import { libraryKey, SIGN_IN_PATH, type SignInOptions } from './shape.ts';
import {
  CREDENTIAL_TABLE,
  PASSKEY_TABLE,
  SESSION_TABLE,
  TWO_FACTOR_TABLE,
  USER_TABLE,
  VERIFICATION_TABLE,
} from './tables.ts';
import { refuseUsedCode } from './totp-steps.ts';

/** The header in which the handler passes the client's address to the library. */
export const ADDRESS_HEADER = 'x-switchyard-client-address';

/** Creates the sign-in library for clients that reach the gateway at one address. */
export function createAuth(options: SignInOptions, publicOrigin: string) {
  const { origin, pathname, hostname } = new URL(publicOrigin);
  const { settings, serviceName, passwords, logger } = options;
  return betterAuth({
    ...tablesOf(options),
    appName: serviceName,
    baseURL: origin,
    basePath: `${pathname.replace(/\/+$/, '')}${SIGN_IN_PATH}`,
    secret: libraryKey(options),
    telemetry: { enabled: false },
    logger: {
      level: 'error',
      log: (_level, message) => logger.warn({ notice: String(message) }, 'a message of the sign-in library'),
    },
    // Our own limits apply instead: by user as well as by address, and shared by all nodes.
    rateLimit: { enabled: false },
    onAPIError: {
      errorURL: `${publicOrigin}/app/sign-in`,
      // The answer reports errors of the person; only errors of the gateway are logged.
      onError: (error) => {
        if (isAPIError(error)) return;
        const notes = requestNotes.getStore();
        if (notes) notes.broken = error;
        else logger.error({ error: String(error).slice(0, 300) }, 'sign-in failed');
      },
    },
    advanced: {
      cookiePrefix: COOKIE_PREFIX,
      useSecureCookies: isSecureOrigin(publicOrigin),
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax' },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      database: { generateId: ({ model }) => (model === 'user' ? `user_${randomBase62(16)}` : randomBase62(24)) },
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: SHORTEST_PASSWORD,
      maxPasswordLength: LONGEST_PASSWORD,
      password: {
        hash: (password) => passwords.hash(password),
        verify: ({ hash, password }) => passwords.verify(hash, password),
      },
    },
    session: {
      ...SESSION_TABLE,
      expiresIn: Math.floor(settings.sessionMs / 1_000),
      // A session ends at its set time, however much it is used.
      disableSessionRefresh: true,
      cookieCache: { enabled: false },
      freshAge: 0,
    },
    account: {
      ...CREDENTIAL_TABLE,
      updateAccountOnSignIn: false,
      // Links an existing user only if both sides have verified the address.
      accountLinking: { enabled: true, trustedProviders: [], requireLocalEmailVerified: true },
    },
    databaseHooks: hooksOf(options),
    hooks: { before: beforeEndpoint(options.people) },
    plugins: pluginsOf({ origin, hostname, serviceName, providers: settings.oidc }),
  });
}

/** Returns the library's tables and the adapter to reach them. */
export function tablesOf({ database }: Pick<SignInOptions, 'database'>) {
  const db = new Kysely<unknown>({ dialect: signInDialect(database) });
  const adapter = kyselyAdapter(db, { type: database.dialect, transaction: false });
  return {
    database: (options: BetterAuthOptions) => withHashedTokens(adapter(options)),
    user: USER_TABLE,
    session: SESSION_TABLE,
    account: CREDENTIAL_TABLE,
    verification: { ...VERIFICATION_TABLE, storeIdentifier: 'hashed' as const },
  };
}

export function pluginsOf({
  origin,
  hostname,
  serviceName,
  providers,
}: {
  readonly origin: string;
  readonly hostname: string;
  readonly serviceName: string;
  readonly providers: readonly OidcProvider[];
}) {
  return [
    twoFactor({
      issuer: serviceName,
      allowPasswordless: true,
      schema: TWO_FACTOR_TABLE,
      backupCodeOptions: { storeBackupCodes: 'encrypted' },
    }),
    passkey({
      rpName: serviceName,
      rpID: hostname,
      origin,
      schema: PASSKEY_TABLE,
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      // A passkey counts as two factors only if the device has asked for a finger, a face or a PIN.
      registration: {
        afterVerification: async ({ verification }) => refuseUnverified(verification.registrationInfo?.userVerified),
      },
      authentication: {
        afterVerification: async ({ verification }) => refuseUnverified(verification.authenticationInfo?.userVerified),
      },
    }),
    genericOAuth({ config: providers.map(oauthConfig) }),
  ];
}

function refuseUnverified(userVerified: boolean | undefined): void {
  if (userVerified === true) return;
  throw new APIError('UNAUTHORIZED', {
    code: 'USER_NOT_VERIFIED',
    message: 'The device did not verify you: use a passkey that requires a fingerprint, face or PIN.',
  });
}

function oauthConfig({ id, name, issuer, clientId, clientSecret, scopes, mayCreateUsers }: OidcProvider) {
  return {
    providerId: id,
    name,
    discoveryUrl: `${issuer}/.well-known/openid-configuration`,
    requireIdTokenVerification: true,
    // Without an ID token the library would trust the issuer's user info, which nothing ties to this sign-in: such an answer is refused.
    accountSubject: ({ tokens, profile }: IssuerAnswer) => (tokens.idToken ? String(profile.sub ?? '') : ''),
    mapProfileToUser: ({ email }: { readonly email?: unknown }) =>
      typeof email === 'string' ? { email: canonicalEmail(email) } : {},
    clientId,
    clientSecret,
    scopes: [...scopes],
    pkce: true,
    disableProviderLogout: true,
    disableSignUp: !mayCreateUsers,
  };
}

interface IssuerAnswer {
  readonly tokens: { readonly idToken?: string | undefined };
  readonly profile: { readonly sub?: unknown };
}

interface HookContext {
  readonly path?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly context?: { readonly session?: { readonly session?: object } | null };
}

function hooksOf({ people, settings, clock }: SignInOptions): NonNullable<BetterAuthOptions['databaseHooks']> {
  const providerOf = (context: HookContext | null) => settings.oidc.find(({ id }) => id === context?.params?.id);
  const usesSecondFactor = (context: HookContext | null) => {
    const path = context?.path ?? '';
    if (path.startsWith('/two-factor/verify-') || path === '/passkey/verify-authentication') return true;
    if (path.startsWith('/callback/')) return providerOf(context)?.secondFactor === true;
    const before = context?.context?.session?.session;
    return (
      path === '/change-password' && before !== undefined && 'secondFactor' in before && before.secondFactor === true
    );
  };
  return {
    user: {
      create: {
        before: async (user, context) => {
          const isAllowed = user.emailVerified && providerOf(context as HookContext | null)?.mayCreateUsers === true;
          return isAllowed ? undefined : false;
        },
        after: async (user, context) => {
          const joins = providerOf(context as HookContext | null)?.joins;
          if (!joins) return;
          await people.setMembership({ userId: user.id, ...joins }, { atMs: clock.nowMs(), keepOwner: false });
        },
      },
      // The library trusts an issuer that a user has linked. Somebody who had registered another person's address could then hand over a
      // verified user and keep their own ways to sign in; only our own links verify an address, and remove those.
      update: { before: async (change) => ('emailVerified' in change ? false : undefined) },
    },
    account: {
      // The gateway calls no API of an issuer on the person's behalf, so the tokens are not stored.
      create: {
        before: async (account) => ({ data: { ...account, accessToken: null, refreshToken: null, idToken: null } }),
        after: async ({ userId, providerId: provider }) => {
          const notes = requestNotes.getStore();
          if (notes && provider !== 'credential') notes.linked = { userId, provider };
        },
      },
    },
    session: {
      create: {
        before: async (session, context) => {
          const user = await people.user(session.userId);
          const notes = requestNotes.getStore();
          if (notes) notes.userId = session.userId;
          if (user === null || user.disabledAtMs !== null) throw wrongCredentials();
          return { data: { ...session, secondFactor: usesSecondFactor(context as HookContext | null) } };
        },
        after: async (session, context) => {
          const notes = requestNotes.getStore();
          const method = (context as HookContext | null)?.path ?? '';
          const secondFactor = usesSecondFactor(context as HookContext | null);
          if (notes) notes.created = { userId: session.userId, method, secondFactor };
          // The session after a password change keeps the second factor of the previous one, but does not count as a new use of it.
          if (secondFactor && method !== '/change-password') await people.markSecondFactor(session.id, clock.nowMs());
        },
      },
    },
  };
}

/** Returns the same error as for a wrong password, so that a disabled user learns nothing else. */
function wrongCredentials(): APIError {
  return new APIError('UNAUTHORIZED', { code: 'INVALID_EMAIL_OR_PASSWORD', message: 'Invalid email or password' });
}

/**
 * Runs before each endpoint of the library. Our own gate and the library read the session separately: if they find different people, the
 * request is refused before it changes anything, so the audit log never names somebody else.
 */
function beforeEndpoint(people: Pick<PeopleStore, 'useTotpStep'>) {
  return createAuthMiddleware(async (context) => {
    const session = await getSessionFromCtx(context, { disableRefresh: true });
    const notes = requestNotes.getStore();
    if (notes !== undefined && notes.personId !== (session?.user.id ?? null)) {
      throw new APIError('UNAUTHORIZED', {
        code: 'SESSION_CHANGED',
        message: 'The session has changed. Sign in again',
      });
    }
    await refuseUsedCode(context, people);
  });
}
