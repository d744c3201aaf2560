import { describe, expect, test } from 'bun:test';
import type { PersonActor, Requester, TokenActor } from '../../src/domain/access/actor.ts';
import { SCOPES, type Scope } from '../../src/domain/access/scopes.ts';
import { isAtLeast, MEMBER_ROLES, type MemberRole } from '../../src/domain/access/user.ts';
import { Failure } from '../../src/domain/failure/failure.ts';
import { admit } from '../../src/transports/management/access.ts';
import { ROUTES } from './routes.ts';
import { RULES, type Rule } from './rules.ts';

/* Checks every route with every kind of caller: 401 without a credential, 403 with an insufficient one. */

const ACCOUNT = 'acme';
const ALL: readonly Scope[] = SCOPES;

function person(change: Partial<PersonActor>): PersonActor {
  const who = { kind: 'person', userId: 'user_1', email: 'a@example.com', name: 'A', sessionId: 's' } as const;
  return { ...who, isOperator: false, memberships: [], secondFactorAtMs: null, ...change };
}

function member(role: MemberRole): PersonActor {
  return person({ memberships: [{ accountId: ACCOUNT, role }] });
}

function token(change: Partial<TokenActor>): TokenActor {
  const of = { kind: 'token', accountId: ACCOUNT, tokenId: 't', name: 'T', expiresAtMs: null } as const;
  return { ...of, scopes: ALL, isOperator: false, ...change };
}

/** Returns all scopes but the required one and those that include it. */
function without(scope: Scope): readonly Scope[] {
  const [resource = ''] = scope.split(':');
  return ALL.filter((one) => !one.startsWith(`${resource}:`) || (scope.endsWith(':write') && one.endsWith(':read')));
}

type Outcome = 'admitted' | 401 | 403;

function outcome(admitted: ReturnType<typeof admit>): Outcome {
  if (!(admitted instanceof Failure)) return 'admitted';
  if (admitted.status !== 401 && admitted.status !== 403) throw new Error(`${admitted.status}: ${admitted.message}`);
  return admitted.status;
}

/** Returns the outcome that the rule gives each kind of caller. */
function callers(rule: Rule): readonly [name: string, requester: Requester | null, expected: Outcome][] {
  if (rule === 'anyone') return [['nobody', null, 'admitted']];
  const [who, scope] = rule === 'person' ? [null, null] : rule;
  const roles = MEMBER_ROLES.map((role): [string, Requester, Outcome] => {
    const may = who === null || (who !== 'operator' && isAtLeast(role, who));
    return [role, member(role), may ? 'admitted' : 403];
  });
  const forTokens = who === null ? 403 : who === 'operator' ? 403 : 'admitted';
  return [
    ['nobody', null, 401],
    ...roles,
    [
      'owner of another account',
      person({ memberships: [{ accountId: 'other', role: 'owner' }] }),
      who === null ? 'admitted' : 403,
    ],
    ['operator', person({ isOperator: true }), 'admitted'],
    ['token', token({}), forTokens],
    ['token with only this scope', token({ scopes: scope === null ? [] : [scope] }), forTokens],
    ['token without the scope', token({ scopes: scope === null ? [] : without(scope) }), 403],
    ['token of another account', token({ accountId: 'other' }), 403],
    ['operators’ token', token({ accountId: 'house', isOperator: true }), who === null ? 403 : 'admitted'],
    [
      'operators’ token without the scope',
      token({ accountId: 'house', isOperator: true, scopes: scope === null ? [] : without(scope) }),
      403,
    ],
  ];
}

test('every route has a rule, and every rule a route', () => {
  expect(ROUTES.map(({ operationId }) => operationId)).toEqual(
    Object.keys(RULES).toSorted((a, b) => a.localeCompare(b)),
  );
});

describe.each(ROUTES.map((route) => [route.operationId, route] as const))('%s', (operationId, { access }) => {
  const rule = RULES[operationId] ?? 'anyone';
  test.each(callers(rule).map(([name, requester, expected]) => [name, expected, requester] as const))(
    '%s: %p',
    (_name, expected, requester) => {
      expect(outcome(admit(access, requester, rule === 'person' ? null : ACCOUNT))).toBe(expected);
    },
  );
});
