import { afterEach, beforeEach, expect, test } from 'bun:test';
import { DEFAULT_QUOTAS } from '../../../src/domain/access/object-quotas.ts';
import type { UserWithMemberships } from '../../../src/domain/access/user.ts';
import { changeAccount, createAccount } from '../../../src/engine/admin/accounts/change-accounts.ts';
import { TooManyError } from '../../../src/engine/admin/admin-error.ts';
import { auditedStore } from '../../../src/engine/admin/audit/audit-trail.ts';
import {
  type AcceptPorts,
  acceptInvitation,
  lookAtInvitation,
  resetPassword,
} from '../../../src/engine/admin/people/accept.ts';
import {
  askForReset,
  ensureFirstOperator,
  invite,
  listInvitations,
  register,
  resetLink,
  revokeInvitation,
} from '../../../src/engine/admin/people/invite.ts';
import type { Doer } from '../../../src/engine/admin/people/links.ts';
import { changeMember, removeMember } from '../../../src/engine/admin/people/members.ts';
import { changeUser, listUsers } from '../../../src/engine/admin/people/users.ts';
import { failureOf } from '../../../src/engine/admin/testing/failure-of.ts';
import { FakeClock } from '../../../src/engine/admin/testing/fake-clock.ts';
import { LimitedMailer } from '../../../src/engine/mail/limited-mailer.ts';
import { type Mail, MailError } from '../../../src/engine/ports/mailer.ts';
import type { Store } from '../../../src/engine/ports/store.ts';
import { DEFAULT_MAIL_LIMITS, DEFAULT_SIGN_IN } from '../../../src/engine/settings/settings.ts';
import { closeTestStores, openTestStore } from '../../../src/stores/sqlite/testing/test-store.ts';

const DAY = 86_400_000;
const PASSWORD = 'correct horse';
const visitor = { address: '203.0.113.7', requestId: 'req_1' };

const doer = (isOperator: boolean): Doer => ({
  origin: { ...visitor, actor: { kind: 'person', id: isOperator ? 'op' : 'owner', name: 'x@example.com' } },
  isOperator,
  publicOrigin: 'https://ai.example.com/gate',
});
const operator = doer(true);
const owner = doer(false);

let store: Store;
let clock: FakeClock;
let ports: AcceptPorts;
let mails: Mail[];

beforeEach(async () => {
  store = await openTestStore({ clock: new FakeClock() });
  clock = new FakeClock();
  mails = [];
  const passwords = { hash: async (password: string) => `hash of ${password}`, verify: async () => false };
  const { people, directory } = store;
  const branding = async () => ({ name: 'Acme AI', supportUrl: 'mailto:help@acme.example' });
  const common = { people, directory, clock, passwords, branding };
  ports = { ...common, mailer: null, settings: DEFAULT_SIGN_IN, quotas: DEFAULT_QUOTAS };
  for (const account of [{ id: 'acme', name: 'Acme Corporation' }, { id: 'beta' }])
    await createAccount(auditedStore(store, { ...operator, clock }), clock, account);
});
afterEach(closeTestStores);

const mailing = (isAway = false, limits = DEFAULT_MAIL_LIMITS): AcceptPorts => ({
  ...ports,
  settings: { ...DEFAULT_SIGN_IN, registration: 'open' },
  mailer: new LimitedMailer({
    transport: {
      send: async (mail) => {
        if (isAway) throw new MailError('away');
        mails.push(mail);
      },
    },
    ...{ people: store.people, clock, limits },
  }),
});
const tokenIn = (text: string | null | undefined) => /welcome#([0-9A-Za-z]+)/.exec(text ?? '')?.[1] ?? 'none';
const accepted = async (link: string | null, input: object = {}, signedIn: UserWithMemberships | null = null) =>
  acceptInvitation(ports, visitor, signedIn, { token: tokenIn(link), ...input });
const come = async (email: string, invitation: object) => {
  const { link } = await invite(ports, operator, { email, ...invitation });
  return await accepted(link, { name: email, password: PASSWORD });
};
const audited = async () => {
  const entries = await store.audit.page({ order: 'oldest', after: null, limit: 1_000 });
  return entries.filter(({ action }) => !action.startsWith('account.'));
};

test('an owner invites a person, who opens the link and joins', async () => {
  const { link, invitation } = await invite(ports, owner, {
    email: 'Ann@Example.com',
    account: 'acme',
    role: 'viewer',
  });
  expect(link).toMatch(/^https:\/\/ai\.example\.com\/gate\/welcome#[0-9A-Za-z]{40}$/);
  const token = tokenIn(link);
  expect(await lookAtInvitation(ports, { token })).toMatchObject({
    email: 'ann@example.com',
    account: 'acme',
    account_name: 'Acme Corporation',
    role: 'viewer',
  });
  const user = await accepted(link, { name: 'Ann', password: PASSWORD });
  expect(user).toMatchObject({
    operator: false,
    emailVerified: false,
    memberships: [{ accountId: 'acme', role: 'viewer' }],
  });
  expect((await failureOf(accepted(link, { name: 'Ann', password: PASSWORD }))).code).toBe('not_found');
  const told = await audited();
  expect(told.map(({ action, accountId }) => [action, accountId])).toEqual([
    ['invitation.create', 'acme'],
    ['invitation.accept', 'acme'],
  ]);
  expect(told[1]?.actor).toEqual({ kind: 'person', id: user.id, name: 'ann@example.com' });
  expect(JSON.stringify(told)).not.toContain(token);
  expect((await listInvitations(ports, {})).items).toMatchObject([{ id: invitation.id, usedBy: user.id }]);
});

test.each<[string, boolean, object, string, string]>([
  ['no account', true, {}, 'invalid_value', 'account'],
  ['an unknown account', true, { account: 'acm' }, 'not_found', 'account'],
  ['an unknown role', true, { account: 'acme', role: 'boss' }, 'invalid_value', 'role'],
  ['no address', true, { account: 'acme', email: 'ann@' }, 'invalid_value', 'email'],
  ['an operator, from an owner', false, { account: 'acme', operator: true }, 'forbidden', 'operator'],
  ['an unknown field', true, { account: 'acme', mail: 'a@b.c' }, 'invalid_value', 'mail'],
])('refuses an invitation with %s', async (_what, isOperator, input, code, field) => {
  expect(await failureOf(invite(ports, doer(isOperator), input))).toMatchObject({ code, field });
});

test.each<[string, object, string]>([
  ['a short password', { name: 'A', password: 'x' }, 'password'],
  ['no name', { password: PASSWORD }, 'name'],
  ['another address', { name: 'A', password: PASSWORD, email: 'b@example.com' }, 'email'],
])('refuses %s, and the link still works', async (_what, input, field) => {
  const { link } = await invite(ports, operator, { email: 'a@example.com', account: 'acme' });
  expect(await failureOf(accepted(link, input))).toMatchObject({ code: 'invalid_value', field });
  expect(await accepted(link, { name: 'A', password: PASSWORD })).toMatchObject({
    email: 'a@example.com',
    emailVerified: true,
  });
});

test("a signed-in person can join, but not take over another's address", async () => {
  const ann = await come('ann@example.com', { account: 'acme' });
  const { link: own } = await invite(ports, operator, { account: 'beta', role: 'owner' });
  const { link: others } = await invite(ports, operator, { account: 'beta', email: 'bob@example.com' });
  expect(await failureOf(accepted(others, {}, ann))).toMatchObject({ code: 'forbidden' });
  expect((await accepted(own, {}, ann)).memberships).toHaveLength(2);
  const { link } = await invite(ports, operator, { account: 'beta' });
  const taken = { name: 'A', password: PASSWORD, email: 'ANN@example.com' };
  expect(await failureOf(accepted(link, taken))).toMatchObject({ code: 'already_exists', field: 'email' });
  expect(await failureOf(invite(ports, owner, { account: 'acme', email: 'ann@example.com' }))).toMatchObject({
    code: 'already_exists',
  });
});

test('taking an address before its owner grants no access', async () => {
  const { link: free } = await invite(ports, owner, { account: 'acme' });
  const squatter = await accepted(free, { email: 'Boss@Corp.example', name: 'Mallory', password: PASSWORD });
  expect(squatter).toMatchObject({ email: 'boss@corp.example', emailVerified: false });
  const raising = [
    await invite(ports, operator, { email: 'boss@corp.example', operator: true }),
    await invite(ports, operator, { operator: true }),
    await invite(ports, owner, { account: 'beta', role: 'viewer' }),
    await invite(ports, owner, { account: 'beta', email: 'boss@corp.example' }),
  ];
  for (const { link } of raising)
    expect(await failureOf(accepted(link, {}, squatter))).toMatchObject({ code: 'forbidden', field: 'token' });
  expect(await failureOf(changeUser(ports, operator, squatter.id, { operator: true }))).toMatchObject({
    code: 'conflict',
    field: 'operator',
  });
  // An account owner's link does not prove the address; an operator's link does.
  const own = { name: 'Boss', password: 'the own password' };
  expect((await failureOf(accepted(raising[3]?.link ?? null, own))).code).toBe('already_exists');
  const boss = await accepted(raising[0]?.link ?? null, own);
  expect(boss).toMatchObject({ id: squatter.id, name: 'Boss', operator: true, emailVerified: true });
  expect((await audited()).at(-1)).toMatchObject({
    action: 'invitation.accept',
    after: { user: boss.id, is_new: false, removed: { passkeys: 0, issuers: 0, two_factor: false, sessions: 0 } },
  });
  expect((await accepted(raising[2]?.link ?? null, {}, boss)).memberships).toHaveLength(2);
});

test('a password reset by a link of the operator or a mail proves the address', async () => {
  const { link: free } = await invite(ports, owner, { account: 'acme' });
  const ann = await accepted(free, { email: 'ann@example.com', name: 'Ann', password: PASSWORD });
  await (await askForReset(mailing(), owner, { email: 'ann@example.com' }))();
  await resetPassword(ports, visitor, { token: tokenIn(mails[0]?.text), password: 'another one' });
  expect((await audited()).at(-1)).toMatchObject({ action: 'user.reset_password', after: { removed: {} } });
  const known = await store.people.user(ann.id);
  expect(known).toMatchObject({ emailVerified: true });
  const { link } = await invite(ports, owner, { account: 'beta' });
  expect((await accepted(link, {}, known)).memberships).toHaveLength(2);
});

test.each(['ＢＯＳＳ@corp.example', 'bo\u017fs@corp.example'])('%p differs from boss@corp.example', async (email) => {
  await come('boss@corp.example', { account: 'acme' });
  expect((await come(email, { account: 'acme' })).email).not.toBe('boss@corp.example');
});

test.each([
  ['jos\u00e9@corp.example', 'JOSE\u0301@CORP.example'],
  ['ann@corp.example', 'ANN@corp.EXAMPLE'],
])('%p has one user in any spelling', async (email, spelling) => {
  await come(email, { account: 'acme' });
  const { link } = await invite(ports, operator, { account: 'beta' });
  const taken = { email: spelling, name: 'Second', password: PASSWORD };
  expect(await failureOf(accepted(link, taken))).toMatchObject({ code: 'already_exists', field: 'email' });
  expect(await failureOf(invite(ports, owner, { account: 'acme', email: spelling }))).toMatchObject({
    code: 'already_exists',
  });
});

test('revoked and expired links are refused; an owner revokes only those of the account', async () => {
  const { link, invitation } = await invite(ports, operator, { account: 'acme' });
  expect(await failureOf(revokeInvitation(ports, owner, invitation.id, 'beta'))).toMatchObject({ code: 'not_found' });
  await revokeInvitation(ports, owner, invitation.id, 'acme');
  expect(await failureOf(revokeInvitation(ports, owner, invitation.id, 'acme'))).toMatchObject({ code: 'conflict' });
  const late = await invite(ports, operator, { account: 'acme' });
  clock.advance(7 * DAY);
  for (const one of [link, late.link]) expect((await failureOf(accepted(one))).code).toBe('not_found');
  expect((await listInvitations(ports, { open: true })).items).toEqual([]);
});

test('with a mail server the link is hidden from an owner and shown to an operator', async () => {
  const made = await invite(mailing(), owner, { account: 'acme', email: 'ann@example.com' });
  expect([made.link, made.mailed]).toEqual([null, true]);
  expect(await accepted(mails[0]?.text ?? '', { name: 'Ann', password: PASSWORD })).toMatchObject({
    emailVerified: true,
  });
  expect((await invite(mailing(), operator, { account: 'acme', email: 'b@example.com' })).link).not.toBeNull();
  const away = invite(mailing(true), owner, { account: 'acme', email: 'c@example.com' });
  expect(await failureOf(away)).toMatchObject({ code: 'conflict', field: 'email' });
  expect((await invite(mailing(true), operator, { account: 'acme', email: 'd@example.com' })).mailed).toBe(false);
});

test.each([
  ['Acme Corporation', 'Acme Corporation'],
  ['Claim your prize at evil.example', 'acme'],
  ['x'.repeat(61), 'acme'],
  ['See https://evil', 'acme'],
])('a mail names the account by its name, unless it could mislead a stranger: %j', async (name, shown) => {
  await changeAccount(store.directory, 'acme', { name });
  await invite(mailing(), owner, { account: 'acme', email: 'ann@example.com' });
  expect(mails[0]?.text).toContain(`to the account "${shown}" of Acme AI, the AI gateway`);
});

test('links of a removed or disabled person are refused', async () => {
  const [ann, ben] = [
    await come('ann@example.com', { account: 'acme', role: 'owner' }),
    await come('root@example.com', { operator: true }),
  ];
  const as = (user: UserWithMemberships): Doer => ({
    ...{ isOperator: user.operator, publicOrigin: operator.publicOrigin },
    origin: { ...visitor, actor: { kind: 'person', id: user.id, name: user.email } },
  });
  await come('last@example.com', { operator: true });
  const left = [
    await invite(ports, as(ann), { account: 'acme', role: 'owner' }),
    await invite(ports, as(ben), { operator: true }),
    await resetLink(ports, as(ben), ann.id),
  ];
  const stays = await invite(ports, operator, { account: 'acme' });
  await removeMember(ports, operator, { accountId: 'acme', userId: ann.id });
  await changeUser(ports, operator, ben.id, { disabled: true });
  for (const { link } of left)
    expect((await failureOf(lookAtInvitation(ports, { token: tokenIn(link) }))).code).toBe('not_found');
  expect(await lookAtInvitation(ports, { token: tokenIn(stays.link) })).toMatchObject({ account: 'acme' });
});

test('an owner cannot leave the account without an owner, an operator can', async () => {
  const ann = await come('ann@example.com', { account: 'acme', role: 'owner' });
  const member = { accountId: 'acme', userId: ann.id };
  expect(await failureOf(changeMember(ports, owner, member, { role: 'member' }))).toMatchObject({
    code: 'conflict',
    field: 'role',
  });
  expect(await failureOf(removeMember(ports, owner, member))).toMatchObject({ code: 'conflict' });
  expect(await failureOf(removeMember(ports, owner, { ...member, accountId: 'beta' }))).toMatchObject({
    code: 'not_found',
  });
  expect(
    await failureOf(changeMember(ports, { ...operator, ifMatch: '"x"' }, member, { role: 'viewer' })),
  ).toMatchObject({ code: 'stale' });
  expect((await changeMember(ports, operator, member, { role: 'viewer' })).memberships).toEqual([
    { accountId: 'acme', role: 'viewer' },
  ]);
  await removeMember(ports, owner, member);
  expect((await listUsers(ports, { accountId: 'acme' })).items).toEqual([]);
  expect((await audited()).map(({ action }) => action).slice(-2)).toEqual(['member.change', 'member.remove']);
});

test('the last operator cannot be demoted, and a stale change is refused', async () => {
  const op = await come('op@example.com', { operator: true });
  expect(await failureOf(changeUser(ports, operator, op.id, { disabled: true }))).toMatchObject({
    code: 'conflict',
    field: 'disabled',
  });
  expect(await failureOf(changeUser(ports, operator, op.id, { operator: false }))).toMatchObject({
    field: 'operator',
  });
  expect(await failureOf(changeUser(ports, operator, op.id, { name: 'New' }, '"old"'))).toMatchObject({
    code: 'stale',
  });
  expect(await changeUser(ports, operator, op.id, { name: 'New' })).toMatchObject({ name: 'New' });
  expect((await audited()).at(-1)).toMatchObject({
    action: 'user.change',
    before: { name: 'op@example.com' },
    after: { name: 'New' },
  });
});

test('a password link works once, and a newer one replaces it', async () => {
  const ann = await come('ann@example.com', { account: 'acme' });
  const [first, second] = [await resetLink(ports, operator, ann.id), await resetLink(ports, operator, ann.id)];
  const reset = (link: string | null) =>
    resetPassword(ports, visitor, { token: tokenIn(link), password: 'another one' });
  expect((await failureOf(reset(first.link))).code).toBe('not_found');
  expect(await reset(second.link)).toMatchObject({ id: ann.id });
  expect((await failureOf(reset(second.link))).code).toBe('not_found');
  expect((await failureOf(accepted((await resetLink(ports, operator, ann.id)).link))).code).toBe('conflict');
  await (await askForReset(mailing(), owner, { email: 'ANN@example.com' }))();
  await (await askForReset(mailing(), owner, { email: 'nobody@example.com' }))();
  expect(mails.map(({ to }) => to)).toEqual(['ann@example.com']);
  expect(await reset(mails[0]?.text ?? '')).toMatchObject({ id: ann.id });
  await expect(askForReset(ports, owner, { email: 'ann@example.com' })).rejects.toThrow('does not send email');
});

test('registration proves the address and creates an account without money', async () => {
  await expect(register(ports, owner, { email: 'new@example.com' })).rejects.toThrow('registration is closed');
  for (const email of ['new@example.com', 'new@example.com']) await (await register(mailing(), owner, { email }))();
  const user = await accepted(mails[0]?.text ?? '', { name: 'New', password: PASSWORD });
  const [{ accountId = '', role } = {}] = user.memberships;
  expect([user.emailVerified, user.operator, role]).toEqual([true, false, 'owner']);
  const { accounts } = await store.directory.read({ accounts: [accountId], serving: false });
  expect(accounts).toMatchObject([{ name: 'New', role: 'User', billing: 'prepaid', admin: false }]);
  expect((await store.ledger.balance(accountId)).balanceNanoUsd).toBe(0n);
  await (await register(mailing(), owner, { email: 'new@example.com' }))();
  expect(mails[2]?.text).not.toContain('welcome#');
});

test('mails to an address are counted before it is looked up, with the same response either way', async () => {
  await come('ann@example.com', { account: 'acme' });
  const few = mailing(false, { ...DEFAULT_MAIL_LIMITS, perRecipientPerHour: 2 });
  const outcomeOf = async (email: string) => {
    try {
      await (await askForReset(few, owner, { email }))();
      return 'accepted';
    } catch (error) {
      if (!(error instanceof TooManyError)) throw error;
      return [error.message, error.retryAfterMs];
    }
  };
  for (const email of ['ann@example.com', 'nobody@example.com']) {
    const outcomes = [];
    for (const spelling of [email, email.toUpperCase(), email]) outcomes.push(await outcomeOf(spelling));
    const refusal = 'email: has received as many emails as allowed within an hour: try again in 60 min';
    expect(outcomes).toEqual(['accepted', 'accepted', [refusal, 3_600_000]]);
  }
  expect(mails.map(({ to }) => to)).toEqual(['ann@example.com', 'ann@example.com']);
  expect(await failureOf(register(few, owner, { email: 'ann@example.com' }))).toMatchObject({ code: 'too_many' });
  expect(await failureOf(resetLink(few, operator, (await listUsers(ports, {})).items[0]?.id ?? ''))).toMatchObject({
    code: 'too_many',
  });
});

test('concurrent invitations are limited by address and account to the mails allowed', async () => {
  const few = mailing(false, { perHour: 100, perRecipientPerHour: 3, perAccountPerHour: 5 });
  const ask = (account: string, email: string) =>
    invite(few, owner, { account, email }).then(
      () => 'made',
      (error: unknown) => (error instanceof TooManyError ? error.code : String(error)),
    );
  const same = await Promise.all(Array.from({ length: 12 }, () => ask('acme', 'one@example.com')));
  expect(same.filter((one) => one === 'made')).toHaveLength(3);
  const others = await Promise.all(Array.from({ length: 12 }, (_, at) => ask('acme', `to-${at}@example.com`)));
  expect(others.filter((one) => one === 'made')).toHaveLength(2);
  expect(new Set([...same, ...others])).toEqual(new Set(['made', 'too_many']));
  expect(await ask('beta', 'to-0@example.com')).toBe('made');
  expect(mails).toHaveLength(6);
  expect((await listInvitations(ports, {})).items).toHaveLength(6);
  clock.advance(3_600_000);
  expect(await ask('acme', 'one@example.com')).toBe('made');
});

test('the first operator gets a single link until there is an operator', async () => {
  const { link } = (await ensureFirstOperator(ports, operator, null)) ?? {};
  expect(await ensureFirstOperator(ports, operator, null)).toBeNull();
  clock.advance(7 * DAY);
  const again = await ensureFirstOperator(ports, operator, null);
  expect((await failureOf(accepted(link ?? null))).code).toBe('not_found');
  await accepted(again?.link ?? null, { name: 'Op', password: PASSWORD, email: 'op@example.com' });
  clock.advance(30 * DAY);
  expect(await ensureFirstOperator(ports, operator, null)).toBeNull();
});
