import type { BetterAuthOptions } from 'better-auth';

/* Maps the library's models to our own tables (`people.sql` in the baselines of the stores). */

export const USER_TABLE = {
  modelName: 'users',
  fields: {
    emailVerified: 'email_verified',
    createdAt: 'created_at',
    updatedAt: 'updated_at',
  },
  additionalFields: {
    operator: { type: 'boolean', required: true, defaultValue: false, input: false },
    disabledAt: { type: 'date', required: false, input: false, fieldName: 'disabled_at' },
  },
} as const satisfies BetterAuthOptions['user'];

export const SESSION_TABLE = {
  modelName: 'sign_in_sessions',
  fields: {
    expiresAt: 'expires_at',
    createdAt: 'created_at',
    updatedAt: 'updated_at',
    ipAddress: 'ip_address',
    userAgent: 'user_agent',
    userId: 'user_id',
  },
  additionalFields: {
    secondFactor: { type: 'boolean', required: true, defaultValue: false, input: false, fieldName: 'second_factor' },
  },
} as const satisfies BetterAuthOptions['session'];

export const CREDENTIAL_TABLE = {
  modelName: 'sign_in_credentials',
  fields: {
    accountId: 'account_id',
    providerId: 'provider_id',
    userId: 'user_id',
    accessToken: 'access_token',
    refreshToken: 'refresh_token',
    idToken: 'id_token',
    accessTokenExpiresAt: 'access_token_expires_at',
    refreshTokenExpiresAt: 'refresh_token_expires_at',
    createdAt: 'created_at',
    updatedAt: 'updated_at',
  },
} as const satisfies BetterAuthOptions['account'];

export const VERIFICATION_TABLE = {
  modelName: 'sign_in_verifications',
  fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
} as const satisfies BetterAuthOptions['verification'];

export const TWO_FACTOR_TABLE = {
  user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
  twoFactor: {
    modelName: 'sign_in_two_factors',
    fields: {
      userId: 'user_id',
      backupCodes: 'backup_codes',
      failedVerificationCount: 'failed_verification_count',
      lockedUntil: 'locked_until',
    },
  },
} as const;

export const PASSKEY_TABLE = {
  passkey: {
    modelName: 'sign_in_passkeys',
    fields: {
      publicKey: 'public_key',
      userId: 'user_id',
      credentialID: 'credential_id',
      deviceType: 'device_type',
      backedUp: 'backed_up',
      createdAt: 'created_at',
    },
  },
} as const;
