/** The resources of the management API, each of which a token may be allowed to read or to change (docs/management.md). */
const RESOURCES = [
  /** The token's own account: its name and its limits. */
  'account',
  /** All accounts: for operators. */
  'accounts',
  /** People with a role in the account, and invitations. */
  'members',
  'keys',
  'tokens',
  'channels',
  'models',
  /** Public price lists. */
  'catalog',
  /** Balance and ledger; only operators may change them (grants, adjustments). */
  'balance',
  'tasks',
  /** Batches and their files; the content of files needs `captures:read`. */
  'batches',
  'cache',
  'limits',
  'alerts',
  'settings',
  'system',
  /** Stored prompts and answers of an account. */
  'captures',
] as const;

/** Read-only records. */
const RECORDS = ['usage', 'requests', 'audit'] as const;

export type Scope =
  | `${(typeof RESOURCES)[number] | (typeof RECORDS)[number]}:read`
  | `${(typeof RESOURCES)[number]}:write`;

/** Everything, and everything readable; both include what later versions add. */
export const WILDCARD_SCOPES = ['*', '*:read'] as const;

/** A scope that a token may have. */
export type GrantedScope = Scope | (typeof WILDCARD_SCOPES)[number];

/** Every scope that a route may require. */
export const SCOPES: readonly Scope[] = [
  ...RESOURCES.flatMap((resource) => [`${resource}:read`, `${resource}:write`] as const),
  ...RECORDS.map((record) => `${record}:read` as const),
].sort();

export const GRANTED_SCOPES: readonly GrantedScope[] = [...WILDCARD_SCOPES, ...SCOPES];

/** The scopes of a token that states none: tokens from before scopes existed, and tokens from files. */
export const ALL_SCOPES: readonly GrantedScope[] = ['*'];

/** Returns whether these scopes include `wanted`; `write` includes `read`. */
export function allowsScope(granted: readonly GrantedScope[], wanted: GrantedScope): boolean {
  if (granted.includes('*') || granted.includes(wanted)) return true;
  const isRead = wanted.endsWith(':read');
  if (wanted === '*' || !isRead) return false;
  return granted.includes('*:read') || granted.some((scope) => scope === wanted.replace(/:read$/, ':write'));
}

/** Returns the first of `wanted` that these scopes do not include; `null` if they include all. */
export function scopeBeyond(granted: readonly GrantedScope[], wanted: readonly GrantedScope[]): GrantedScope | null {
  return wanted.find((scope) => !allowsScope(granted, scope)) ?? null;
}

/** Returns the same scopes, sorted, without those that another one includes. */
export function normalScopes(scopes: readonly GrantedScope[]): readonly GrantedScope[] {
  const distinct = [...new Set(scopes)].sort();
  return distinct.filter((scope) => !distinct.some((other) => other !== scope && allowsScope([other], scope)));
}
