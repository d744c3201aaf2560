import { expect, test } from 'bun:test';
import { type ErasurePorts, eraseUser } from '../../../engine/admin/erasure/erase-user.ts';
import { failureOf } from '../../../engine/admin/testing/failure-of.ts';
import { recipientKey } from '../../../engine/mail/limited-mailer.ts';
import type { NewAuditEntry } from '../../../engine/ports/audit-log.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { sampleAccount, sampleCredential } from '../../../engine/ports/testing/samples.ts';
import { sampleAlertTarget } from './alert-contract.ts';
import { sampleInvitation } from './people-contract.ts';
import { textsOfDatabase } from './texts-of-database.ts';

const NOW = 1_790_000_000_000;
const DAY = 86_400_000;
const LOCAL = { actor: { kind: 'command_line', id: null, name: 'root' }, address: null, requestId: null } as const;
const BY = { origin: LOCAL };
const ENTRY: NewAuditEntry = {
  ...LOCAL,
  ...{ atMs: NOW, action: 'user.change', accountId: null, objectId: 'user_ann', before: null, after: null },
};
const ALL = { order: 'oldest', after: null, limit: 1_000 } as const;
/** No remaining text may match this. */
const PERSONAL = /ann@example\.com|Ann Example|Ann Earlier|user_ann|203\.0\.113\.77/i;

/** Erasure tests for every store. */
export function erasureTests(current: () => Store): void {
  const ports = (): ErasurePorts => ({ ...current(), clock: { nowMs: () => NOW } });
  const come = async (id: string, change: Parameters<typeof sampleInvitation>[0] = {}) => {
    const { people } = current();
    const email = `${id}@example.com`;
    await people.addInvitation(sampleInvitation({ id: `inv_${id}`, email, ...change }), `hash-${id}`);
    const name = `${id.replace(/^./, (first) => first.toUpperCase())} Example`;
    const newUser = { id: `user_${id}`, email, name, passwordHash: 'hash of a password' };
    await people.accept({ tokenHash: `hash-${id}`, atMs: NOW, person: { newUser } });
  };
  const put = (table: string, row: Readonly<Record<string, string | number | boolean>>) => {
    const { signIn } = current();
    const marks = Object.keys(row).map((_, index) => `${signIn.dialect === 'sqlite' ? '?' : '$'}${index + 1}`);
    const sql = `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${marks.join(', ')})`;
    return signIn.run(sql, Object.values(row));
  };

  /** Ann and Bob own an account together, and Ann alone owns an archived one. She has every kind of personal data. */
  async function fill(): Promise<void> {
    const { people, directory, alerts, audit } = current();
    await directory.write({ accounts: ['acme', 'own'], serving: false }, (writer) => {
      writer.putAccount(sampleAccount({ id: 'acme' }));
      const billingDetails = {
        name: 'Ann Example',
        address: ['c/o Ann Earlier'],
        taxId: '1',
        email: 'ann@example.com',
      };
      const own = { id: 'own', name: 'Ann Example', archivedAtMs: NOW, billingDetails } as const;
      writer.putAccount(sampleAccount({ ...own, origin: 'operator' }));
      writer.putCredential(sampleCredential({ accountId: 'acme', createdBy: 'user:user_ann' }));
    });
    for (const id of ['ann', 'bob', 'root']) await come(id, id === 'root' ? { operator: true } : { role: 'owner' });
    await people.setMembership(
      { userId: 'user_ann', accountId: 'own', role: 'owner' },
      { atMs: NOW, keepOwner: false },
    );
    const at = new Date(NOW).toISOString();
    const times = { created_at: at, updated_at: at };
    const expires_at = new Date(NOW + DAY).toISOString();
    const user_id = 'user_ann';
    await put('sign_in_passkeys', {
      ...{ id: 'pk', user_id, name: 'Ann Example’s phone', public_key: 'k', credential_id: 'c', counter: 0 },
      ...{ device_type: 'singleDevice', backed_up: false },
    });
    await put('sign_in_two_factors', { id: 'tf', user_id, secret: 's', backup_codes: 'b' });
    await put('sign_in_credentials', { id: 'co', user_id, provider_id: 'co', account_id: 'ann@example.com', ...times });
    await put('sign_in_verifications', { id: 'v', identifier: 'x', value: user_id, expires_at, ...times });
    await put('sign_in_sessions', { id: 's', user_id, token: 't', ip_address: '203.0.113.77', expires_at, ...times });
    await people.countAttempts([recipientKey('ann@example.com'), recipientKey('bob@example.com')], NOW, DAY);
    const [to, made, others] = [
      sampleInvitation({ id: 'inv_to' }),
      sampleInvitation({ id: 'inv_made', email: 'new@example.com', createdBy: 'user:user_ann' }),
      sampleInvitation({ id: 'inv_others', email: 'joann@example.org' }),
    ];
    for (const one of [to, made, others]) await people.addInvitation(one, `hash of ${one.id}`);
    await come('carl', { createdBy: 'user:user_ann' });
    const mail = sampleAlertTarget({ id: 'mail', kind: 'mail', address: 'Ann@example.com', secret: null });
    for (const target of [mail, sampleAlertTarget()]) await alerts.changeTarget(target, () => target);
    const own = { kind: 'person', id: user_id, name: 'ann@example.com' } as const;
    await audit.append([
      {
        ...ENTRY,
        actor: own,
        address: '203.0.113.77',
        before: { name: 'Ann Earlier' },
        after: { name: 'Ann Example' },
      },
      { ...ENTRY, action: 'account.create', objectId: 'own', after: { name: 'Ann Example', old: ['by Ann Earlier'] } },
      { ...ENTRY, action: 'invitation.create', objectId: 'inv_to', after: { email: 'ann@example.com' } },
      {
        ...ENTRY,
        objectId: 'user_bob',
        address: '192.0.2.9',
        after: { email: 'bob@example.com', name: 'Bob Example' },
      },
    ]);
  }

  test('no table names an erased person, and the audit log has one pseudonym', async () => {
    await fill();
    const expected = {
      passwords: 1,
      issuers: 1,
      passkeys: 1,
      twoFactors: 1,
      sessions: 1,
      verifications: 1,
      attempts: 1,
    };
    const removed = { ...expected, memberships: 2, invitations: 3, alertEvents: 0, mailTargets: 1 };
    const before = await current().audit.page(ALL);
    expect(await eraseUser(ports(), BY, 'user_ann', { dryRun: true })).toEqual({
      ...{ userId: 'user_ann', pseudonym: null, removed },
      rewritten: { auditEntries: 3, accountNames: 1 },
    });
    expect(await current().audit.page(ALL)).toEqual(before);

    const { pseudonym, ...done } = await eraseUser(ports(), BY, 'Ann@Example.com', { dryRun: false });
    expect(done).toEqual({ userId: 'user_ann', removed, rewritten: { auditEntries: 3, accountNames: 1 } });
    expect(pseudonym).toMatch(/^erased-[0-9a-f]{8}$/);
    expect((await textsOfDatabase(current().signIn)).filter(({ text }) => PERSONAL.test(text))).toEqual([]);
    const hidden = String(pseudonym);
    const [own, account, invitation, bob, erased] = await current().audit.page(ALL);
    expect(own).toMatchObject({
      actor: { kind: 'person', id: hidden, name: hidden },
      address: hidden,
      objectId: hidden,
    });
    expect([own?.before, own?.after]).toEqual([{ name: hidden }, { name: hidden }]);
    expect(account?.after).toEqual({ name: hidden, old: [`by ${hidden}`] });
    expect(invitation?.after).toEqual({ email: hidden });
    expect(bob).toEqual(before[3]);
    expect(erased).toMatchObject({
      ...LOCAL,
      action: 'user.erase',
      objectId: hidden,
      after: { removed: { passkeys: 1 } },
    });
    const scope = { accounts: ['acme', 'own'], credentialsOf: ['acme'], serving: false } as const;
    const { accounts, credentials } = await current().directory.read(scope);
    expect(credentials.map(({ createdBy }) => createdBy)).toEqual([`user:${hidden}`]);
    expect(accounts.map(({ name }) => name)).toEqual([sampleAccount({ id: 'acme' }).name, hidden]);
    expect(await current().people.invitation('inv_carl')).toMatchObject({ createdBy: `user:${hidden}` });
    expect(await current().people.invitation('inv_others')).not.toBeNull();
    expect((await current().people.users({ limit: 9, after: null })).map(({ id }) => id)).toEqual([
      'user_bob',
      'user_carl',
      'user_root',
    ]);
    await come('ann', { id: 'inv_again' });
    expect(await current().people.userByEmail('ann@example.com')).toMatchObject({ memberships: [{ role: 'member' }] });
  });

  test('an interrupted erasure continues with its pseudonym', async () => {
    await fill();
    const cut = (method: 'remove' | 'end') => {
      const broken = { value: async () => Promise.reject(new Error('cut off')) };
      return { ...ports(), erasures: Object.create(current().erasures, { [method]: broken }) };
    };
    await expect(eraseUser(cut('remove'), BY, 'user_ann', { dryRun: false })).rejects.toThrow('cut off');
    expect(await current().people.user('user_ann')).toMatchObject({ disabledAtMs: NOW });
    await expect(eraseUser(cut('end'), BY, 'user_ann', { dryRun: false })).rejects.toThrow('cut off');
    expect(await current().people.user('user_ann')).toBeNull();
    const { pseudonym, rewritten } = await eraseUser(ports(), BY, 'ann@example.com', { dryRun: false });
    expect(rewritten.auditEntries).toBe(3);
    const entries = await current().audit.page({ ...ALL, action: 'user.erase' });
    expect(entries.map(({ objectId }) => objectId)).toEqual([String(pseudonym)]);
    expect((await textsOfDatabase(current().signIn)).filter(({ text }) => PERSONAL.test(text))).toEqual([]);
    expect(await failureOf(eraseUser(ports(), BY, 'user_ann', { dryRun: false }))).toMatchObject({ code: 'not_found' });
  });

  test('a person who erases themselves is not named in the audit entry', async () => {
    await fill();
    const actor = { kind: 'person', id: 'user_ann', name: 'ann@example.com' } as const;
    const by = { origin: { actor, address: '203.0.113.77', requestId: 'req_1' } };
    const { pseudonym, rewritten } = await eraseUser(ports(), by, 'user_ann', { dryRun: false });
    expect(rewritten.auditEntries).toBe(4);
    const [entry] = await current().audit.page({ ...ALL, action: 'user.erase' });
    const hidden = String(pseudonym);
    expect(entry).toMatchObject({ actor: { ...actor, id: hidden, name: hidden }, address: hidden, objectId: hidden });
    expect((await textsOfDatabase(current().signIn)).filter(({ text }) => PERSONAL.test(text))).toEqual([]);
  });

  test('the last operator and the last owner of an account in use cannot be erased', async () => {
    await fill();
    const refusal = (id: string) => failureOf(eraseUser(ports(), BY, id, { dryRun: false }));
    expect((await refusal('user_root')).message).toContain('is the last admin who can sign in');
    await eraseUser(ports(), BY, 'user_ann', { dryRun: false });
    expect((await refusal('user_bob')).message).toContain('is the last owner of the account "acme"');
    expect(await current().people.user('user_bob')).toMatchObject({ disabledAtMs: null });
  });

  test('the audit log allows only pseudonyms as changes', async () => {
    await fill();
    const { audit, signIn } = current();
    const [entry] = await audit.page(ALL);
    if (entry === undefined) throw new Error('There is no entry.');
    const hidden = 'erased-0123abcd';
    const refused = /append-only|never changed/;
    for (const change of [
      { address: '192.0.2.1' },
      { objectId: 'other' },
      { after: null },
      { before: { name: 'X' } },
    ]) {
      await expect(audit.rewrite([{ ...entry, ...change }], hidden)).rejects.toThrow(refused);
    }
    await expect(audit.rewrite([{ ...entry, objectId: 'me' }], 'me')).rejects.toThrow(refused);
    await expect(signIn.run(`UPDATE audit_log SET object_id = '${hidden}'`, [])).rejects.toThrow(refused);
    await audit.rewrite([{ ...entry, objectId: hidden }], hidden);
    await expect(signIn.run(`UPDATE audit_log SET object_id = '${hidden}-2'`, [])).rejects.toThrow(refused);
    expect((await audit.page(ALL))[0]).toEqual({ ...entry, objectId: hidden });
  });
}
