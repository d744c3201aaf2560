import type { Requester } from '../../domain/access/actor.ts';
import { allowsScope, type Scope } from '../../domain/access/scopes.ts';
import { isAtLeast, type MemberRole } from '../../domain/access/user.ts';
import { Failure } from '../../domain/failure/failure.ts';

/**
 * The callers that may use a route:
 * - `anyone`: needs no credential, such as for an invitation, whose token is in the body.
 * - `person`: needs a signed-in person, for their own data; tokens are refused.
 * - `account`: people with at least this role in the account, its tokens with this scope, and operators.
 * - `operator`: operators only; their tokens with this scope.
 */
export type Access =
  | { readonly who: 'anyone' }
  | { readonly who: 'person' }
  | {
      readonly who: 'account';
      readonly role: MemberRole;
      readonly scope: Scope;
      /** Whether an operator who names no account means all of them. */
      readonly orAll?: true;
    }
  | { readonly who: 'operator'; readonly scope: Scope };

/** The account in question; `null` if the route concerns none, or if an operator means all. */
interface Admitted {
  readonly accountId: string | null;
}

/**
 * Decides whether this route is open to the requester, for the account that the request names (`account_id`). A refusal does not reveal
 * whether that account exists.
 */
export function admit(access: Access, requester: Requester | null, named: string | null): Admitted | Failure {
  if (access.who === 'anyone') return { accountId: null };
  if (requester === null) return missingCredential();
  if (access.who === 'person') return requester.kind === 'person' ? { accountId: named } : forPeople();
  if (requester.kind === 'token' && !allowsScope(requester.scopes, access.scope)) return missingScope(access.scope);
  if (access.who === 'operator') return requester.isOperator ? { accountId: named } : forOperators();
  if (requester.isOperator && named === null && access.orAll === true) return { accountId: null };
  const accountId = named ?? usualAccount(requester);
  if (accountId === null) return unnamedAccount(requester);
  return requester.isOperator ? { accountId } : admitToAccount(access.role, requester, accountId);
}

const ROLE_NAMES: Readonly<Record<MemberRole, string>> = { owner: 'Owner', member: 'Member', viewer: 'Viewer' };

function admitToAccount(role: MemberRole, requester: Requester, accountId: string): Admitted | Failure {
  if (requester.kind === 'token') return requester.accountId === accountId ? { accountId } : otherAccount();
  const membership = requester.memberships.find((one) => one.accountId === accountId);
  if (membership === undefined) return otherAccount();
  return isAtLeast(membership.role, role) ? { accountId } : missingRole(role, membership.role);
}

/** Returns a token's own account, or a person's only one. */
function usualAccount(requester: Requester): string | null {
  if (requester.kind === 'token') return requester.accountId;
  const [only, ...others] = requester.memberships;
  return only === undefined || others.length > 0 ? null : only.accountId;
}

function missingCredential(): Failure {
  return new Failure('invalid_api_key', {
    message: 'The request has neither a management token nor a session.',
    hint: 'Send the header `Authorization: Bearer mt-…`, or sign in.',
    kind: 'missing_token',
  });
}

function denied(kind: string, message: string, hint: string): Failure {
  return new Failure('access_denied', { kind, message, hint });
}

function forPeople(): Failure {
  return denied('for_people', 'This needs a signed-in user; a token cannot do it.', 'Sign in.');
}

function forOperators(): Failure {
  return denied('for_operators', 'Only admins can do this.', 'Ask an admin of this gateway.');
}

function missingScope(scope: Scope): Failure {
  const hint = 'Use a token with this scope, or add the scope to this token.';
  return denied('missing_scope', `The token does not have the scope "${scope}".`, hint);
}

function missingRole(wanted: MemberRole, has: MemberRole): Failure {
  const hint = 'Ask an account owner.';
  return denied(
    'missing_role',
    `You need the ${ROLE_NAMES[wanted]} role to do this; yours is ${ROLE_NAMES[has]}.`,
    hint,
  );
}

function otherAccount(): Failure {
  const message = 'The account in `account_id` does not exist, or you have no access to it.';
  return new Failure('access_denied', { kind: 'other_account', message, param: 'account_id' });
}

function unnamedAccount(requester: Requester): Failure {
  const ids = requester.kind === 'person' ? requester.memberships.map(({ accountId }) => accountId) : [];
  const yours = ids.length === 0 ? '' : ` Yours are: ${ids.slice(0, 20).join(', ')}.`;
  return new Failure('missing_required_parameter', {
    message: `\`account_id\` must name an account.${yours}`,
    param: 'account_id',
  });
}

/** Returns whether the requester belongs to the account whose clients created an object, rather than only operating it. */
export function ownedBy(requester: Requester | null, accountId: string): boolean {
  if (requester === null) return false;
  if (requester.kind === 'token') return requester.accountId === accountId;
  return requester.memberships.some((membership) => membership.accountId === accountId);
}
