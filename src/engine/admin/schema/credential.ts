import { z } from 'zod';
import { CAPTURE_MODES } from '../../../domain/access/account.ts';
import { DEFAULT_USAGE_ACCESS, USAGE_ACCESS } from '../../../domain/access/api-key.ts';
import { ALL_SCOPES, GRANTED_SCOPES, normalScopes } from '../../../domain/access/scopes.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { integer, listOf, MAP, oneOf, text, time } from '../../../providers/shared/file-fields.ts';
import { SECRET_MINIMUM_LENGTH } from '../../access/secrets.ts';
import type { ConfiguredCredential } from '../configuration/configuration.ts';
import { timeOrNull } from '../view-fields.ts';
import {
  amount,
  budgetFields,
  budgetFrom,
  budgetSchema,
  identifier,
  LARGEST_LIMIT,
  limitUpTo,
  modelPatterns,
  name,
} from './fields.ts';

import { guardIds, guardsMember } from './guard.ts';

const secretOf = (prefix: string) =>
  text(
    `must begin with "${prefix}", with at least ${SECRET_MINIMUM_LENGTH} characters after it, without spaces`,
    new RegExp(`^${prefix}[\\x21-\\x7e]{${SECRET_MINIMUM_LENGTH},500}$`),
  );

const scopes = listOf(oneOf(GRANTED_SCOPES), 'scopes').min(1, {
  error: 'must name at least one scope; leave it out to allow all',
});

/** An account's `sk-` key. */
export const keySchema = z.strictObject(
  {
    id: identifier,
    name: name.nullish(),
    secret: secretOf('sk-'),
    limit_usd: amount.nullish(),
    budget: budgetSchema.nullish(),
    models: modelPatterns.nullish(),
    requests_per_minute: limitUpTo(LARGEST_LIMIT.requests_per_minute).nullish(),
    usage_access: oneOf(USAGE_ACCESS).nullish(),
    guards: guardIds.nullish(),
    capture: oneOf(CAPTURE_MODES).nullish(),
    expires_at: time.nullish(),
  },
  MAP,
);

/** An account's `mt-` token, which sends no requests and so has no limits. */
export const managementTokenSchema = z.strictObject(
  {
    id: identifier,
    name: name.nullish(),
    secret: secretOf('mt-'),
    scopes: scopes.nullish(),
    expires_at: time.nullish(),
  },
  MAP,
);

export const LONGEST_GRACE_SECONDS = 2_592_000;

/** How a secret is replaced by a new one. */
export const rotationSchema = z.strictObject(
  {
    grace_seconds: integer(
      `must be a whole number of seconds from 0 to ${LONGEST_GRACE_SECONDS}, which is 30 days`,
      0,
      LONGEST_GRACE_SECONDS,
    ).nullish(),
  },
  MAP,
);

/** The verbs generate the secret, and the id if none is given. */
const MADE = { id: identifier.optional() };
export const newKeySchema = keySchema.omit({ id: true, secret: true }).extend(MADE);
export const newTokenSchema = managementTokenSchema.omit({ id: true, secret: true }).extend(MADE);

export type CredentialFacts = Omit<ConfiguredCredential, 'id' | 'secret'>;

/** Returns the facts of a checked key. If it has no name, the name is its id. */
export function keyFrom(key: z.output<typeof newKeySchema>, usualName: string): CredentialFacts {
  return {
    kind: 'inference',
    name: key.name ?? usualName,
    limitNanoUsd: key.limit_usd ?? null,
    budget: budgetFrom(key.budget),
    models: key.models == null ? null : [...new Set(key.models)],
    requestsPerMinute: key.requests_per_minute ?? null,
    usageAccess: key.usage_access ?? DEFAULT_USAGE_ACCESS,
    ...guardsMember(key.guards),
    capture: key.capture ?? null,
    expiresAtMs: key.expires_at ?? null,
    scopes: null,
  };
}

export function tokenFrom(token: z.output<typeof newTokenSchema>, usualName: string): CredentialFacts {
  return {
    kind: 'management',
    name: token.name ?? usualName,
    limitNanoUsd: null,
    budget: null,
    models: null,
    requestsPerMinute: null,
    usageAccess: null,
    capture: null,
    expiresAtMs: token.expires_at ?? null,
    scopes: normalScopes(token.scopes ?? ALL_SCOPES),
  };
}

/** Returns a key in the form of its schema, without the secret, of which only the hash is stored. */
export function keyFields(key: Pick<ConfiguredCredential, 'id'> & CredentialFacts) {
  return {
    id: key.id,
    name: key.name,
    limit_usd: key.limitNanoUsd === null ? null : formatNanoUsd(key.limitNanoUsd),
    budget: key.budget && budgetFields(key.budget),
    models: key.models,
    requests_per_minute: key.requestsPerMinute,
    usage_access: key.usageAccess ?? DEFAULT_USAGE_ACCESS,
    guards: key.guards ?? [],
    capture: key.capture,
    expires_at: timeOrNull(key.expiresAtMs),
  };
}

export function tokenFields({ id, name, scopes, expiresAtMs }: Pick<ConfiguredCredential, 'id'> & CredentialFacts) {
  return { id, name, scopes: scopes ?? [], expires_at: timeOrNull(expiresAtMs) };
}
