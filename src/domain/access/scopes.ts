/** What the management API has, each of which a token may be let read, or change (docs/management.md). */
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
  /** Balance and ledger; changing it (grants, adjustments) is for operators. */
  'balance',
  'tasks',
  'cache',
  'limits',
  'alerts',
  'settings',
  'system',
  /** Prompts and answers that were kept for an account. */
  'captures',
] as const;

/** Records, which nobody changes. */
const RECORDS = ['usage', 'requests', 'audit'] as const;

export type Scope =
  | `${(typeof RESOURCES)[number] | (typeof RECORDS)[number]}:read`
  | `${(typeof RESOURCES)[number]}:write`;

/** All that is, and all that may be read; both include what later versions add. */
export const WILDCARD_SCOPES = ['*', '*:read'] as const;

/** What a token may hold. */
export type GrantedScope = Scope | (typeof WILDCARD_SCOPES)[number];

/** Each thing that a route may ask for. */
export const SCOPES: readonly Scope[] = [
  ...RESOURCES.flatMap((resource) => [`${resource}:read`, `${resource}:write`] as const),
  ...RECORDS.map((record) => `${record}:read` as const),
].sort();

export const GRANTED_SCOPES: readonly GrantedScope[] = [...WILDCARD_SCOPES, ...SCOPES];

/** Of a token that says nothing else: those from before there were scopes, and those of files. */
export const ALL_SCOPES: readonly GrantedScope[] = ['*'];

/** Whether these scopes let one do what `wanted` names; `write` includes `read`. */
export function allowsScope(granted: readonly GrantedScope[], wanted: GrantedScope): boolean {
  if (granted.includes('*') || granted.includes(wanted)) return true;
  const isRead = wanted.endsWith(':read');
  if (wanted === '*' || !isRead) return false;
  return granted.includes('*:read') || granted.some((scope) => scope === wanted.replace(/:read$/, ':write'));
}

/** The first of `wanted` that these scopes do not allow; `null` where they allow all of them. */
export function scopeBeyond(granted: readonly GrantedScope[], wanted: readonly GrantedScope[]): GrantedScope | null {
  return wanted.find((scope) => !allowsScope(granted, scope)) ?? null;
}

/** The same scopes, sorted, without those that another one includes. */
export function normalScopes(scopes: readonly GrantedScope[]): readonly GrantedScope[] {
  const distinct = [...new Set(scopes)].sort();
  return distinct.filter((scope) => !distinct.some((other) => other !== scope && allowsScope([other], scope)));
}
