import { expect, test } from 'bun:test';
import type { Invitation } from '../../../domain/access/invitation.ts';
import type { AuditLog } from '../../../engine/ports/audit-log.ts';
import type { PeopleStore } from '../../../engine/ports/people-store.ts';
import type { SignInDatabase } from '../../../engine/ports/sign-in-database.ts';

const NOW = 1_790_000_000_000;
const DAY = 86_400_000;

export function sampleInvitation(change: Partial<Invitation> = {}): Invitation {
  return {
    id: 'inv_1',
    purpose: 'join',
    email: 'ann@example.com',
    provesEmail: true,
    accountId: 'acme',
    role: 'member',
    operator: false,
    userId: null,
    createdBy: 'command-line',
    createdAtMs: NOW,
    expiresAtMs: NOW + 7 * DAY,
    usedAtMs: null,
    usedBy: null,
    revokedAtMs: null,
    ...change,
  };
}

/** Tests for every `PeopleStore`. */
export function peopleTests(people: () => PeopleStore, signIn: () => SignInDatabase, audit: () => AuditLog): void {
  const join = async (id: string, change: Partial<Invitation> = {}) => {
    const email = change.email ?? `${id}@example.com`;
    await people().addInvitation(sampleInvitation({ id: `inv_${id}`, ...change, email }), `hash-${id}`);
    const newUser = { id, email, name: `Name of ${id}`, passwordHash: `password-${id}` };
    return await people().accept({ tokenHash: `hash-${id}`, atMs: NOW, person: { newUser } });
  };
  const signedIn = async (id: string, userId: string) => {
    const mark = (at: number) => (signIn().dialect === 'sqlite' ? `?${at}` : `$${at}`);
    await signIn().run(
      `INSERT INTO sign_in_sessions (id, user_id, token, expires_at, created_at, updated_at)
       VALUES (${mark(1)}, ${mark(2)}, ${mark(1)}, ${mark(3)}, ${mark(4)}, ${mark(4)})`,
      [id, userId, new Date(NOW + DAY), new Date(NOW)],
    );
  };

  test('an invitation is returned as added, by id and by token, and cannot be added twice', async () => {
    const each = [
      sampleInvitation(),
      sampleInvitation({ id: 'inv_2', email: null, accountId: null, role: null, operator: true, provesEmail: false }),
    ];
    for (const one of each) await people().addInvitation(one, `hash of ${one.id}`);
    expect(await people().invitation('inv_2')).toEqual(each[1] ?? null);
    expect(await people().invitationByToken('hash of inv_1')).toEqual(each[0] ?? null);
    expect(await people().invitationByToken('inv_1')).toBeNull();
    expect(await people().invitations({ limit: 10, after: null })).toEqual(each.toReversed());
    expect(await people().invitations({ limit: 10, after: 'inv_2' })).toEqual(each.slice(0, 1));
    expect(await people().invitations({ limit: 10, after: null, accountId: 'acme' })).toEqual(each.slice(0, 1));
    expect(await people().invitations({ limit: 10, after: null, openAtMs: NOW + 7 * DAY })).toEqual([]);
  });

  test('accepting an invitation creates the person with the role and uses up the link', async () => {
    expect(await join('ann')).toMatchObject({ outcome: 'accepted', userId: 'ann', isNew: true });
    expect(await people().userByEmail('ann@example.com')).toEqual({
      id: 'ann',
      email: 'ann@example.com',
      name: 'Name of ann',
      operator: false,
      emailVerified: true,
      twoFactorEnabled: false,
      createdAtMs: NOW,
      disabledAtMs: null,
      memberships: [{ accountId: 'acme', role: 'member' }],
    });
    expect(await people().invitation('inv_ann')).toMatchObject({ usedAtMs: NOW, usedBy: 'ann' });
    const again = { newUser: { id: 'b', email: 'b@example.com', name: 'B', passwordHash: 'x' } };
    expect(await people().accept({ tokenHash: 'hash-ann', atMs: NOW, person: again })).toEqual({ outcome: 'gone' });
  });

  test('members are counted by account', async () => {
    await join('ann');
    await join('ben');
    await join('cleo', { accountId: 'beta' });
    expect([...(await people().countMembers(['acme', 'beta', 'none']))].sort()).toEqual([
      ['acme', 2],
      ['beta', 1],
    ]);
    expect((await people().countMembers([])).size).toBe(0);
  });

  test('concurrent invitations and acceptances stay within their limits', async () => {
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    const added = await Promise.all(
      numbers.map((number) => {
        const invitation = sampleInvitation({ id: `many-${number}`, email: null, accountId: 'acme' });
        return people().addInvitation(invitation, `many-${number}`, () => [], 6);
      }),
    );
    expect(added.filter((isAdded) => isAdded)).toHaveLength(6);
    const open = numbers.filter((number) => added[number]);
    const accepted = await Promise.all(
      open.map((number) => {
        const newUser = { id: `m${number}`, email: `m${number}@example.com`, name: 'M', passwordHash: 'x' };
        return people().accept({ tokenHash: `many-${number}`, atMs: NOW, person: { newUser }, mostMembers: 4 });
      }),
    );
    const outcomes = accepted.map(({ outcome }) => outcome).toSorted();
    const joined = outcomes.filter((outcome) => outcome === 'accepted').length;
    expect(outcomes.filter((outcome) => outcome === 'full')).toHaveLength(6 - joined);
    expect((await people().countMembers(['acme'])).get('acme')).toBe(4);
  });

  test('a link that is used concurrently admits one person', async () => {
    await people().addInvitation(sampleInvitation(), 'hash');
    const outcomes = await Promise.all(
      ['a', 'b', 'c', 'd'].map((id) => {
        const newUser = { id, email: `${id}@example.com`, name: id, passwordHash: id };
        return people().accept({ tokenHash: 'hash', atMs: NOW, person: { newUser } });
      }),
    );
    expect(outcomes.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(1);
    expect(await people().users({ limit: 10, after: null })).toHaveLength(1);
  });

  test('an existing address does not use up the link', async () => {
    await join('ann');
    await people().addInvitation(sampleInvitation({ id: 'inv_2' }), 'hash-2');
    const newUser = { id: 'other', email: 'ann@example.com', name: 'Other', passwordHash: 'x' };
    const taken = await people().accept({ tokenHash: 'hash-2', atMs: NOW, person: { newUser } });
    expect(taken).toEqual({ outcome: 'email_taken' });
    expect(await people().invitation('inv_2')).toMatchObject({ usedAtMs: null });
  });

  test('revoked and expired links admit nobody', async () => {
    await people().addInvitation(sampleInvitation(), 'hash');
    expect(await people().revokeInvitation('inv_1', NOW)).toBe(true);
    expect(await people().revokeInvitation('inv_1', NOW)).toBe(false);
    await people().addInvitation(sampleInvitation({ id: 'inv_2', expiresAtMs: NOW }), 'hash-2');
    const newUser = { id: 'a', email: 'a@example.com', name: 'A', passwordHash: 'x' };
    for (const tokenHash of ['hash', 'hash-2', 'hash-3'])
      expect(await people().accept({ tokenHash, atMs: NOW, person: { newUser } })).toEqual({ outcome: 'gone' });
  });

  test('a member who accepts another invitation keeps the higher role', async () => {
    await join('ann', { role: 'owner' });
    await people().addInvitation(sampleInvitation({ id: 'inv_2', role: 'viewer', operator: true }), 'hash-2');
    await people().addInvitation(sampleInvitation({ id: 'inv_3', accountId: 'beta' }), 'hash-3');
    for (const tokenHash of ['hash-2', 'hash-3'])
      await people().accept({ tokenHash, atMs: NOW, person: { userId: 'ann' } });
    expect(await people().user('ann')).toMatchObject({
      operator: true,
      memberships: [
        { accountId: 'acme', role: 'owner' },
        { accountId: 'beta', role: 'member' },
      ],
    });
  });

  test('one link for the first operator is open at a time, and none once there is an operator', async () => {
    const first = (id: string, at = NOW) =>
      people().addFirstInvitation(
        sampleInvitation({
          id,
          purpose: 'first_operator',
          email: null,
          accountId: null,
          role: null,
          operator: true,
          createdAtMs: at,
        }),
        id,
      );
    const added = await Promise.all(['1', '2', '3'].map((id) => first(id)));
    expect(added.filter(Boolean)).toHaveLength(1);
    expect(await people().revokeInvitations('first_operator', null, NOW)).toBe(1);
    expect(await first('4')).toBe(true);
    expect(await first('5', NOW + 7 * DAY)).toBe(true);
    const newUser = { id: 'op', email: 'op@example.com', name: 'Op', passwordHash: 'x' };
    await people().accept({ tokenHash: '4', atMs: NOW, person: { newUser } });
    expect(await first('6', NOW + 30 * DAY)).toBe(false);
  });

  test('the last operator who can sign in remains, also if two leave concurrently', async () => {
    await join('a', { operator: true });
    await join('b', { operator: true });
    const both = await Promise.all(['a', 'b'].map((id) => people().changeUser(id, { operator: false }, NOW)));
    expect(both.map(({ outcome }) => outcome).toSorted()).toEqual(['changed', 'last_operator']);
    const left = both[0]?.outcome === 'changed' ? 'b' : 'a';
    expect(await people().changeUser(left, { disabledAtMs: NOW }, NOW)).toMatchObject({ outcome: 'last_operator' });
    expect(await people().changeUser(left, { name: 'New' }, NOW)).toMatchObject({ outcome: 'changed' });
    expect(await people().changeUser('nobody', { name: 'New' }, NOW)).toMatchObject({ outcome: 'not_found' });
  });

  test('a change is audited in its transaction, and rolled back if the audit throws', async () => {
    await join('a');
    const entry = {
      atMs: NOW,
      actor: { kind: 'gateway', id: null, name: 'test' },
      address: null,
      requestId: null,
    } as const;
    await people().changeUser('a', { name: 'New' }, NOW, (changed) =>
      changed.outcome === 'changed'
        ? [
            {
              ...entry,
              action: 'user.change',
              accountId: null,
              objectId: 'a',
              before: null,
              after: { name: changed.after.name },
            },
          ]
        : [],
    );
    const entries = await audit().page({ order: 'newest', after: null, limit: 10, objectId: 'a' });
    expect(entries.map(({ action, after }) => [action, after])).toEqual([['user.change', { name: 'New' }]]);
    const failing = people().changeUser('a', { name: 'Newer' }, NOW, () => {
      throw new Error('stale');
    });
    await expect(failing).rejects.toThrow('stale');
    expect(await people().user('a')).toMatchObject({ name: 'New' });
  });

  test('the last owner remains unless otherwise allowed, also if two leave concurrently', async () => {
    await join('a', { role: 'owner' });
    await join('b', { role: 'owner' });
    const leave = (userId: string, keepOwner: boolean) =>
      people().setMembership({ userId, accountId: 'acme', role: null }, { atMs: NOW, keepOwner });
    const both = await Promise.all(['a', 'b'].map((id) => leave(id, true)));
    expect(both.map(({ outcome }) => outcome).toSorted()).toEqual(['changed', 'last_owner']);
    const left = both[0]?.outcome === 'changed' ? 'b' : 'a';
    const demote = { userId: left, accountId: 'acme', role: 'viewer' } as const;
    expect(await people().setMembership(demote, { atMs: NOW, keepOwner: true })).toMatchObject({
      outcome: 'last_owner',
    });
    expect(await leave(left, false)).toMatchObject({ outcome: 'changed' });
    expect(await leave(left, false)).toMatchObject({ outcome: 'not_found' });
  });

  test('disabling ends the sessions of that user only', async () => {
    await join('a');
    await join('b');
    for (const user of ['a', 'b']) for (const at of [1, 2]) await signedIn(`${user}${at}`, user);
    expect(await people().changeUser('a', { disabledAtMs: NOW + 5 }, NOW)).toMatchObject({ outcome: 'changed' });
    expect(await people().user('a')).toMatchObject({ disabledAtMs: NOW + 5 });
    expect(await people().sessions('a', NOW)).toEqual([]);
    expect(await people().sessions('b', NOW)).toHaveLength(2);
    expect(await people().sessions('b', NOW + DAY)).toEqual([]);
    expect(await people().endSession('a', 'b1')).toBe(false);
    expect(await people().endSession('b', 'b1')).toBe(true);
    await signedIn('b3', 'b');
    expect(await people().endSessions('b', 'b3')).toBe(1);
    expect((await people().sessions('b', NOW)).map(({ id }) => id)).toEqual(['b3']);
    expect(await people().changeUser('a', { disabledAtMs: null }, NOW)).toMatchObject({ outcome: 'changed' });
    expect(await people().user('a')).toMatchObject({ disabledAtMs: null });
  });

  test('a session is found by its token, with its current user, until it ends or expires', async () => {
    await join('a', { operator: true });
    await join('b', { accountId: null, role: null });
    for (const id of ['a', 'b']) await signedIn(`${id}1`, id);
    const found = (token: string, nowMs = NOW) => people().sessionByToken(token, nowMs);
    for (const id of ['a', 'b']) {
      const [session] = await people().sessions(id, NOW);
      expect(await found(`${id}1`)).toEqual({ session, user: await people().user(id) } as never);
    }
    await people().setMembership({ userId: 'a', accountId: 'abc', role: 'viewer' }, { atMs: NOW, keepOwner: false });
    expect((await found('a1'))?.user).toEqual((await people().user('a')) as never);
    expect((await found('a1'))?.user.memberships).toHaveLength(2);
    expect((await found('a1'))?.session).toMatchObject({ secondFactor: false, secondFactorAtMs: null });
    await people().markSecondFactor('a1', NOW + 5);
    expect((await found('a1'))?.session).toMatchObject({ secondFactor: true, secondFactorAtMs: NOW + 5 });
    expect(await found('a1', NOW + DAY - 1)).not.toBeNull();
    expect(await found('a1', NOW + DAY)).toBeNull();
    expect(await found('a')).toBeNull();
    await people().endSession('a', 'a1');
    expect(await found('a1')).toBeNull();
  });

  test('a reset link sets the password once and ends all sessions', async () => {
    await join('a');
    await signedIn('a1', 'a');
    await people().addInvitation(sampleInvitation({ id: 'r', purpose: 'reset', userId: 'a' }), 'reset');
    const reset = { tokenHash: 'reset', passwordHash: 'new', atMs: NOW };
    expect(await people().acceptReset({ ...reset, tokenHash: 'hash-a' })).toBeNull();
    expect(await people().acceptReset(reset)).toMatchObject({ user: { id: 'a' }, removed: null });
    expect(await people().acceptReset(reset)).toBeNull();
    expect(await people().sessions('a', NOW)).toEqual([]);
    const { rows } = await signIn().run('SELECT password FROM sign_in_credentials', []);
    expect(rows).toEqual([{ password: 'new' }]);
  });

  /** Gives a user every sign-in method, and one sign-in that waits for its second factor. */
  const equip = async (userId: string) => {
    const at = new Date(NOW).toISOString();
    const [id, two, yes] = signIn().dialect === 'sqlite' ? ['?1', '?2', '1'] : ['$1', '$2', 'true'];
    const each: readonly (readonly [sql: string, values: readonly string[]])[] = [
      [
        `INSERT INTO sign_in_passkeys (id, public_key, user_id, credential_id, counter, device_type, backed_up)
         VALUES ('pk', 'none', ${id}, 'none', 0, 'singleDevice', ${yes === '1' ? '0' : 'false'})`,
        [userId],
      ],
      [`INSERT INTO sign_in_two_factors (id, user_id, secret, backup_codes) VALUES ('tf', ${id}, 's', 'b')`, [userId]],
      [`UPDATE users SET two_factor_enabled = ${yes} WHERE id = ${id}`, [userId]],
      [
        `INSERT INTO sign_in_credentials (id, user_id, provider_id, account_id, created_at, updated_at)
         VALUES ('co', ${id}, 'co', 'sub', ${two}, ${two})`,
        [userId, at],
      ],
      [
        `INSERT INTO sign_in_verifications (id, identifier, value, expires_at, created_at, updated_at)
         VALUES ('v', 'x', ${id}, ${two}, ${two}, ${two})`,
        [userId, at],
      ],
    ];
    for (const [sql, values] of each) await signIn().run(sql, values);
    await signedIn(`session-of-${userId}`, userId);
  };
  const waysIn = async () => {
    const count = async (table: string) => (await signIn().run(`SELECT id FROM ${table}`, [])).rows.length;
    const tables = ['passkeys', 'two_factors', 'credentials', 'verifications', 'sessions'];
    return await Promise.all(tables.map((table) => count(`sign_in_${table}`)));
  };
  const REMOVED = { passkeys: 1, issuers: 1, twoFactor: true, sessions: 1 };

  test.each([false, true])('a reset of a user whose address is verified: %p', async (provesEmail) => {
    await join('a', { provesEmail });
    await equip('a');
    await people().addInvitation(sampleInvitation({ id: 'r', purpose: 'reset', userId: 'a' }), 'reset');
    const done = await people().acceptReset({ tokenHash: 'reset', passwordHash: 'new', atMs: NOW });
    expect(done).toMatchObject({ user: { id: 'a' }, removed: provesEmail ? null : REMOVED });
    // Everything but the password is removed if another person may have set it up.
    expect(await waysIn()).toEqual(provesEmail ? [1, 1, 2, 0, 0] : [0, 0, 1, 0, 0]);
    expect(await people().user('a')).toMatchObject({ emailVerified: true, twoFactorEnabled: provesEmail });
  });

  test('proving an address takes over its unverified user, without the former sign-in methods', async () => {
    await join('boss', { provesEmail: false, email: 'boss@example.com', role: 'viewer' });
    await equip('boss');
    const email = 'boss@example.com';
    const newUser = { id: 'new', email, name: 'The boss', passwordHash: 'own' };
    const accept = (id: string) => people().accept({ tokenHash: id, atMs: NOW, person: { newUser } });
    const links = {
      unproven: { email, provesEmail: false },
      other: { email: 'other@example.com' },
      free: { email: null },
      registration: { email, purpose: 'registration' },
    } as const;
    for (const [id, change] of Object.entries(links)) {
      await people().addInvitation(sampleInvitation({ id, operator: true, ...change }), id);
      expect([id, await accept(id)]).toEqual([id, { outcome: 'email_taken' }]);
      const joining = await people().accept({ tokenHash: id, atMs: NOW, person: { userId: 'boss' } });
      expect([id, joining]).toEqual([id, { outcome: 'unverified' }]);
    }
    expect(await people().user('boss')).toMatchObject({ operator: false, memberships: [{ role: 'viewer' }] });
    await people().addInvitation(sampleInvitation({ id: 'proven', email, operator: true }), 'proven');
    const accepted = await accept('proven');
    expect(accepted).toMatchObject({ outcome: 'accepted', userId: 'boss', isNew: false, removed: REMOVED });
    expect(await people().user('boss')).toMatchObject({ name: 'The boss', operator: true, emailVerified: true });
    expect(await waysIn()).toEqual([0, 0, 1, 0, 0]);
    const { rows } = await signIn().run('SELECT password FROM sign_in_credentials', []);
    expect(rows).toEqual([{ password: 'own' }]);
    await people().addInvitation(sampleInvitation({ id: 'again', email }), 'again');
    expect(await accept('again')).toEqual({ outcome: 'email_taken' });
  });

  test('people are listed in pages, by account and by part of the name or address', async () => {
    for (const id of ['c', 'a', 'b']) await join(id, id === 'b' ? { accountId: 'beta' } : {});
    const listed = async (page: object) =>
      (await people().users({ limit: 10, after: null, ...page })).map(({ id }) => id);
    expect(await listed({})).toEqual(['a', 'b', 'c']);
    expect(await listed({ limit: 1, after: 'a@example.com' })).toEqual(['b']);
    expect(await listed({ accountId: 'acme' })).toEqual(['a', 'c']);
    expect(await listed({ search: 'NAME OF C' })).toEqual(['c']);
    expect(await listed({ search: 'a@' })).toEqual(['a']);
    expect(await listed({ search: '%' })).toEqual([]);
  });

  test('attempts are counted exactly within a window, and from zero after it', async () => {
    const count = async (keys: readonly string[], at: number) =>
      (await people().countAttempts(keys, at, 1_000)).map((one) => one.count);
    const many = await Promise.all(Array.from({ length: 8 }, () => count(['b', 'a'], NOW)));
    expect(many.flat().toSorted()).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8]);
    await people().forgiveAttempts(['a']);
    expect(await people().countAttempts(['a'], NOW + 999, 1_000)).toEqual([{ count: 8, windowEndsAtMs: NOW + 1_000 }]);
    expect(await count(['a'], NOW + 1_000)).toEqual([1]);
    expect(await people().removeOld(NOW + 1_001, 10)).toBe(1);
  });
}
