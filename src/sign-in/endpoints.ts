/** An open endpoint of the sign-in library, and the members of a body that reach it. */
export interface SignInEndpoint {
  readonly method: 'GET' | 'POST';
  /** The path under `SIGN_IN_PATH`. */
  readonly path: string;
  /** The members of the body that are passed on; all others are dropped. */
  readonly fields: readonly string[];
  /** The secret that can be guessed here, so that attempts are limited. */
  readonly guesses?: 'password' | 'code' | 'session';
  /** The audit action, if the endpoint changes how the person can sign in. It requires the second factor of a user who has one. */
  readonly changes?: string;
  /** Whether it sets up a second factor: allowed in a session without one if the user has none. */
  readonly enrols?: true;
  /** Whether it requires a recent use of an existing second factor, because it asks for no password. */
  readonly needsRecentFactor?: true;
}

const REDIRECTS = ['callbackURL', 'errorCallbackURL', 'newUserCallbackURL'];

/** All other endpoints of the library are closed: they would return session tokens, or belong to the management API. */
export const SIGN_IN_ENDPOINTS: readonly SignInEndpoint[] = [
  { method: 'POST', path: '/sign-in/email', fields: ['email', 'password'], guesses: 'password' },
  { method: 'POST', path: '/sign-in/social', fields: ['provider', ...REDIRECTS], guesses: 'session' },
  { method: 'GET', path: '/callback/:id', fields: [], guesses: 'session' },
  { method: 'POST', path: '/sign-out', fields: [] },
  {
    method: 'POST',
    path: '/change-password',
    fields: ['currentPassword', 'newPassword'],
    guesses: 'code',
    changes: 'user.change_password',
  },
  { method: 'POST', path: '/update-user', fields: ['name'], changes: 'user.change' },
  {
    method: 'POST',
    path: '/two-factor/enable',
    fields: ['password'],
    guesses: 'code',
    changes: 'two_factor.begin',
    enrols: true,
  },
  { method: 'POST', path: '/two-factor/verify-totp', fields: ['code'], guesses: 'code', enrols: true },
  { method: 'POST', path: '/two-factor/verify-backup-code', fields: ['code'], guesses: 'code', enrols: true },
  {
    method: 'POST',
    path: '/two-factor/disable',
    fields: ['password'],
    guesses: 'code',
    changes: 'two_factor.disable',
  },
  {
    method: 'POST',
    path: '/two-factor/generate-backup-codes',
    fields: ['password'],
    guesses: 'code',
    changes: 'two_factor.new_backup_codes',
  },
  {
    method: 'GET',
    path: '/passkey/generate-register-options',
    fields: [],
    enrols: true,
    needsRecentFactor: true,
  },
  {
    method: 'POST',
    path: '/passkey/verify-registration',
    fields: ['response', 'name'],
    changes: 'passkey.create',
    enrols: true,
    needsRecentFactor: true,
  },
  { method: 'GET', path: '/passkey/generate-authenticate-options', fields: [] },
  { method: 'POST', path: '/passkey/verify-authentication', fields: ['response'], guesses: 'session' },
  { method: 'GET', path: '/passkey/list-user-passkeys', fields: [] },
  { method: 'POST', path: '/passkey/update-passkey', fields: ['id', 'name'], changes: 'passkey.change' },
  { method: 'POST', path: '/passkey/delete-passkey', fields: ['id'], changes: 'passkey.delete' },
  { method: 'GET', path: '/list-accounts', fields: [] },
  { method: 'POST', path: '/link-social', fields: ['provider', ...REDIRECTS], changes: 'credential.begin_link' },
  { method: 'POST', path: '/unlink-account', fields: ['accountId'], changes: 'credential.unlink' },
];

export function findEndpoint(method: string, path: string): SignInEndpoint | null {
  const wanted = method === 'HEAD' ? 'GET' : method;
  return (
    SIGN_IN_ENDPOINTS.find(
      (one) =>
        one.method === wanted &&
        (one.path === path || (one.path === '/callback/:id' && /^\/callback\/[a-z0-9-]{1,40}$/.test(path))),
    ) ?? null
  );
}
