import { expect, test } from 'bun:test';
import { type AccountErasurePorts, eraseAccount } from '../../../engine/admin/erasure/erase-account.ts';
import { endUserErasures } from '../../../engine/admin/erasure/erase-end-user.ts';
import { eraseUser } from '../../../engine/admin/erasure/erase-user.ts';
import { resumeErasures } from '../../../engine/admin/erasure/resume-erasures.ts';
import { failureOf } from '../../../engine/admin/testing/failure-of.ts';
import { EndUsers } from '../../../engine/call/end-users.ts';
import type { NewAuditEntry } from '../../../engine/ports/audit-log.ts';
import type { CapturedBody } from '../../../engine/ports/capture-store.ts';
import type { Store } from '../../../engine/ports/store.ts';
import {
  SAMPLE_USAGE,
  sampleAccount,
  sampleCacheReport,
  sampleChannel,
  sampleCharge,
  sampleCredential,
  sampleEntry,
  sampleHold,
  sampleRecord,
  sampleResponse,
  sampleTask,
} from '../../../engine/ports/testing/samples.ts';
import { sampleAlertRule, sampleAlertTarget } from './alert-contract.ts';
import { sampleInvitation } from './people-contract.ts';
import { textsOfDatabase } from './texts-of-database.ts';

const NOW = 1_790_000_000_000;
const DAY = 86_400_000;
const LOCAL = { actor: { kind: 'command_line', id: null, name: 'root' }, address: null, requestId: null } as const;
const BY = { origin: LOCAL };
const ALL = { order: 'oldest', after: null, limit: 1_000 } as const;
/** No remaining text may match this. */
const OWN = /Acme Trading|Acme Earlier|Laptop of acme|order 4711|203\.0\.113\.77|enduser|acme\.example|secret talk/i;
const SILENT = { info() {}, warn() {} };

function entry(fields: Partial<NewAuditEntry>): NewAuditEntry {
  return {
    ...LOCAL,
    ...{ atMs: NOW, action: 'key.change', accountId: 'acme', objectId: 'ci', before: null, after: null },
    ...fields,
  };
}

/** Returns a proxy of the port with one failing method. */
function broken<Port extends object>(port: Port, method: keyof Port): Port {
  return new Proxy(port, {
    get(target, name) {
      if (name === method) return async () => Promise.reject(new Error('cut off'));
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** Account erasure tests for every store. */
export function accountErasureTests(current: () => Store): void {
  const cleared: string[] = [];
  const ports = (): AccountErasurePorts => ({
    ...current(),
    clock: { nowMs: () => NOW },
    cache: { clear: async (accountId) => 1 + cleared.push(`cache of ${accountId}`) },
    mediaStore: { removeOf: async (accountId) => void cleared.push(`files of ${accountId}`) },
  });
  const erase = (dryRun = false) => eraseAccount(ports(), BY, 'acme', { dryRun });
  const remains = async () => (await textsOfDatabase(current().signIn)).filter(({ text }) => OWN.test(text));

  async function fillDirectory(): Promise<void> {
    const { directory, people, alerts, audit } = current();
    await directory.write({ accounts: ['acme', 'other'], serving: false }, (writer) => {
      for (const [id, name] of [
        ['acme', 'Acme Trading'],
        ['other', 'Other'],
      ] as const) {
        const own = { taxId: null, email: 'bookkeeping@acme.example' };
        const billingDetails = id === 'acme' ? { name, address: ['Acme Trading House'], ...own } : null;
        writer.putAccount(sampleAccount({ id, name, billingDetails, archivedAtMs: id === 'acme' ? NOW - DAY : null }));
        writer.putCredential(
          sampleCredential({ accountId: id, name: `Laptop of ${id}`, secretHash: id.padEnd(64, '0') }),
        );
      }
      writer.putChannel(sampleChannel({ id: 'own-channel', name: 'Acme Trading', owner: 'acme' }));
      writer.putChannel(sampleChannel({ id: 'others-channel', owner: 'other' }));
    });
    const to = { accountId: 'acme', email: 'bookkeeping@acme.example', role: 'owner' } as const;
    await people.addInvitation(sampleInvitation({ ...to, id: 'inv_acme' }), 'hash');
    for (const owner of ['acme', 'other']) {
      const target = sampleAlertTarget({ accountId: owner, name: owner === 'acme' ? 'Acme Trading' : 'Other' });
      await alerts.changeTarget(target, () => target);
      const rule = sampleAlertRule({ accountId: owner, name: owner === 'acme' ? 'Acme Trading' : 'Other' });
      await alerts.changeRule(rule, () => rule);
    }
    const words = { name: 'Acme Trading', note: 'for order 4711', amount_usd: '12.50', role: 'User' };
    const token = { kind: 'token', id: 'acme/ops', name: 'Laptop of acme' } as const;
    await audit.append([
      entry({ action: 'account.create', objectId: 'acme', after: { ...words, name: 'Acme Earlier' } }),
      entry({ actor: token, address: '203.0.113.77', before: { tags: ['enduser=7'] }, after: words }),
      entry({ accountId: null, objectId: 'x', after: { text: 'for Acme Trading and others' } }),
      entry({ accountId: 'other', objectId: 'other', address: '192.0.2.1', after: { name: 'Other' } }),
    ]);
  }

  async function fillWork(accountId: string, work: readonly string[] | null = null): Promise<void> {
    const { requestLog, responses, objects, tasks, holds, cacheReports, captures, ledger } = current();
    const isOwn = accountId === 'acme';
    const tags = work ?? [isOwn ? 'enduser=7' : 'team=red'];
    const note = isOwn ? 'for order 4711' : 'for order 12';
    const ids = { accountId, requestId: `req-${accountId}` };
    await ledger.append(sampleEntry({ accountId, idempotencyKey: `g:${accountId}`, note }));
    await ledger.charge(sampleCharge({ ...ids, usage: { ...SAMPLE_USAGE, tags } }));
    requestLog.append(sampleRecord({ ...ids, tags, summedTags: tags, channelId: 'own-channel' }));
    await requestLog.flush();
    await current().usage.roll(1_000);
    await ledger.charge(sampleCharge({ ...ids, requestId: `late-${accountId}`, usage: { ...SAMPLE_USAGE, tags } }));
    await responses.put(sampleResponse({ accountId }));
    const objectId = `file-${accountId}.example`;
    await objects.write([{ accountId, objectId, place: null, responseId: null, expiresAtMs: NOW + DAY }]);
    await tasks.create(
      sampleTask({
        ...ids,
        id: `task_${accountId}`.padEnd(37, '0'),
        tags: { given: tags, summed: tags },
        stage: 'completed',
      }),
    );
    const hold = sampleHold({ accountId, holdId: `hold-${accountId}`, keyId: null, terms: JSON.stringify({ tags }) });
    await holds.hold({ ...hold, fromLimitNanoUsd: null, keyLimitNanoUsd: null });
    await holds.settle(hold.holdId, 10n, NOW, SAMPLE_USAGE);
    await cacheReports.add(sampleCacheReport({ accountId, description: 'secret talk' }), 10);
    const body = new TextEncoder().encode('secret talk');
    const side: CapturedBody = { bytes: body, size: body.length, contentType: null, omitted: null };
    await captures.add([{ ...ids, atMs: NOW, request: side, answer: side }], 1_000_000);
  }

  async function fill(): Promise<void> {
    cleared.length = 0;
    await fillDirectory();
    for (const accountId of ['acme', 'other']) await fillWork(accountId);
  }

  test('no table contains data of an erased account, and the ledger verifies', async () => {
    await fill();
    const before = await current().ledger.balance('acme');
    const counts = {
      ...{ memberships: 0, invitations: 1, alertDeliveries: 0, alertEvents: 0, alertStates: 0, alertTargets: 1 },
      ...{
        alertRules: 1,
        responses: 1,
        objects: 1,
        tasks: 1,
        holds: 1,
        cacheReports: 1,
        requestLines: 1,
        ledgerNotes: 1,
      },
    };
    const asked = await erase(true);
    expect(asked).toMatchObject({
      accountId: 'acme',
      pseudonym: null,
      removed: { ...counts, captures: 1, channels: 1 },
    });
    expect(cleared).toEqual([]);
    const { pseudonym, removed, hidden } = await erase();
    expect(removed).toMatchObject({ ...counts, captures: 1, channels: 1, cacheEntries: 3 });
    expect(removed.usageTags).toBeGreaterThan(0);
    expect(hidden).toEqual({ keyNames: 1, auditEntries: asked.hidden.auditEntries });
    expect(cleared).toEqual(['files of acme', 'cache of acme']);
    const others = await remains();
    expect(
      others.filter(({ text }) => !/Laptop of acme|order 4711|enduser|own-channel|acme\.example/.test(text)),
    ).toEqual([]);
    const { ledger, audit, directory } = current();
    expect(await ledger.balance('acme')).toEqual(before);
    expect((await ledger.verify()).problems).toEqual([]);
    expect((await ledger.find('g:acme'))?.note).toBe(pseudonym);
    expect((await ledger.find('g:other'))?.note).toBe('for order 12');
    const rows = await directory.read({ accounts: ['acme'], credentialsOf: ['acme'] });
    const acme = rows.accounts.find(({ id }) => id === 'acme');
    expect(acme).toMatchObject({ name: pseudonym, archivedAtMs: NOW - DAY });
    expect(rows.credentials).toMatchObject([{ id: 'ci', name: pseudonym, revokedAtMs: NOW }]);
    expect(rows.channels.map(({ id }) => id)).toEqual(['others-channel']);
    const words = { name: pseudonym, note: pseudonym, amount_usd: '12.50', role: 'User' };
    const [made, byToken, elsewhere, other, erased] = await audit.page(ALL);
    expect(made?.after).toEqual(words);
    expect(byToken).toMatchObject({ actor: { id: 'acme/ops', name: pseudonym }, address: pseudonym, after: words });
    expect(elsewhere?.after).toEqual({ text: `for ${pseudonym} and others` });
    expect(other).toMatchObject({ address: '192.0.2.1', after: { name: 'Other' } });
    expect(erased).toMatchObject({ ...LOCAL, action: 'account.erase', objectId: 'acme', after: { pseudonym } });
  });

  test('data of other accounts is unchanged', async () => {
    await fill();
    await erase();
    const { responses, captures, requestLog, tasks, usage } = current();
    expect(await responses.get('other', 'resp_1')).not.toBeNull();
    expect(await captures.find('req-other', 'other')).not.toBeNull();
    expect((await requestLog.recent(10)).map(({ accountId }) => accountId)).toEqual(['other']);
    expect((await tasks.list({}, 10)).map(({ accountId }) => accountId)).toEqual(['other']);
    const query = {
      spans: [{ fromMs: NOW - DAY, toMs: NOW + DAY }],
      groupBy: ['accountId', 'tag'],
      limit: 10,
    } as const;
    const accountIds = ['acme', 'other'];
    const taggedBy = async (tag: string) => (await usage.sum({ ...query, accountIds, tags: { tag } })).length;
    expect([await taggedBy('enduser=7'), await taggedBy('team=red')]).toEqual([0, 1]);
    const all = await usage.sum({ ...query, groupBy: ['accountId'], accountIds, tags: null });
    expect(all.map(({ accountId, requests, costNanoUsd }) => [accountId, requests, costNanoUsd])).toEqual([
      ['acme', 1, 2_510n],
      ['other', 1, 2_510n],
    ]);
  });

  test('one end user is erased by name, whether the name or its hash is stored', async () => {
    const endUsers = new EndUsers('hashed', new Uint8Array(32));
    const name = 'ann "x" \\ 100%_*';
    const hash = endUsers.hashed('acme', name);
    await fillDirectory();
    const all = [`end_user=${name}`, `user_id=${name}`, 'end_user=anna', `team=${hash}s`];
    await fillWork('acme', all);
    await fillWork('other', all);
    const later = sampleRecord({ accountId: 'acme', requestId: 'req-later', tags: [`end_user=${hash}`] });
    current().requestLog.append({ ...later, summedTags: later.tags ?? [] });
    await current().requestLog.flush();
    const tagsOf = async () => {
      const lines = await current().requestLog.recent(10);
      return Object.fromEntries(lines.map(({ requestId, tags }) => [requestId, tags]));
    };
    const before = await tagsOf();
    const wanted = { accountId: 'acme', name };
    const eraseEndUser = endUserErasures({ ...ports(), endUsers });
    const erased = await eraseEndUser(BY, wanted);
    expect(erased).toMatchObject({ hash, removed: { requestLines: 3, tasks: 2, holds: 2 } });
    expect(erased.removed.usage).toBeGreaterThan(0);
    expect(await tagsOf()).toEqual({
      ...before,
      'req-acme': ['end_user=(erased)', 'user_id=(erased)', 'end_user=anna', `team=${hash}s`],
      'req-later': ['end_user=(erased)'],
    });
    await current().usage.roll(1_000);
    const spans = [{ fromMs: NOW - DAY, toMs: NOW + DAY }];
    const sumsOf = async (accountId: string) => {
      const query = { spans, groupBy: ['tag'], limit: 10, accountIds: [accountId], tags: { every: true } } as const;
      return (await current().usage.sum(query)).map(({ tag = '' }) => tag).filter(Boolean);
    };
    expect((await sumsOf('acme')).toSorted()).toEqual(['end_user=anna', `team=${hash}s`]);
    expect((await sumsOf('other')).toSorted()).toEqual(all.toSorted());
    const texts = (await textsOfDatabase(current().signIn)).filter(({ text }) =>
      text.includes(JSON.stringify(name).slice(1, -1)),
    );
    // The other account keeps the name.
    for (const { text } of texts) expect(text).not.toMatch(/acme/);
    const again = await eraseEndUser(BY, wanted);
    expect(again.removed).toEqual({ usage: 0, requestLines: 0, tasks: 0, holds: 0 });
    const entries = await current().audit.page({ ...ALL, action: 'end_user.erase' });
    expect(entries).toMatchObject([{ accountId: 'acme', objectId: hash }, { objectId: hash }]);
    expect(JSON.stringify(entries)).not.toContain('ann ');
  });

  test('an account that is not archived or has pending work is refused', async () => {
    await fill();
    const problem = async () => (await failureOf(erase())).message;
    const archive = (archivedAtMs: number | null) =>
      current().directory.write({ accounts: ['acme'], serving: false }, (writer) =>
        writer.putAccount(sampleAccount({ archivedAtMs })),
      );
    await archive(null);
    expect(await problem()).toContain('is in use: archive it first');
    await archive(NOW);
    await current().tasks.create(sampleTask());
    expect(await problem()).toContain('has 1 unfinished tasks');
    await current().tasks.change(sampleTask().id, 1, { stage: 'closing' });
    await current().tasks.change(sampleTask().id, 1, { stage: 'failed' });
    await current().holds.hold({ ...sampleHold(), fromLimitNanoUsd: null, keyLimitNanoUsd: null });
    expect(await problem()).toContain('has reserved money');
    await current().holds.release('req-hold', NOW);
    await erase();
    expect((await failureOf(eraseAccount(ports(), BY, 'acne', { dryRun: true }))).message).toContain('acme');
  });

  test('an interrupted erasure is completed by the gateway with the same pseudonym', async () => {
    await fill();
    const { accountErasures, captures, directory, audit } = current();
    const cuts: readonly Partial<AccountErasurePorts>[] = [
      { directory: broken(directory, 'write') },
      { accountErasures: broken(accountErasures, 'remove') },
      { captures: broken(captures, 'removeOf') },
      { mediaStore: { removeOf: async () => Promise.reject(new Error('cut off')) } },
      { audit: broken(audit, 'rewrite') },
      { accountErasures: broken(accountErasures, 'end') },
    ];
    for (const cut of cuts)
      await expect(eraseAccount({ ...ports(), ...cut }, BY, 'acme', { dryRun: false })).rejects.toThrow('cut off');
    const [open] = await accountErasures.open();
    await resumeErasures({ ...current(), ...ports(), logger: SILENT });
    expect(await accountErasures.open()).toEqual([]);
    const erased = await audit.page({ ...ALL, action: 'account.erase' });
    expect(erased).toMatchObject([{ actor: { kind: 'gateway' }, after: { pseudonym: open?.pseudonym } }]);
    expect(await remains()).toEqual([]);
  });

  test('an interrupted erasure of a person is completed by the gateway, too', async () => {
    await fill();
    const { people, erasures } = current();
    for (const id of ['ann', 'root']) {
      const invitation = sampleInvitation({ id: `inv_${id}`, email: `${id}@example.com`, operator: true });
      await people.addInvitation(invitation, `hash-${id}`);
      const newUser = { id: `user_${id}`, email: `${id}@example.com`, name: 'Ann Example', passwordHash: 'x' };
      await people.accept({ tokenHash: `hash-${id}`, atMs: NOW, person: { newUser } });
    }
    const cut = { ...current(), ...ports(), erasures: broken(erasures, 'remove') };
    await expect(eraseUser(cut, BY, 'user_ann', { dryRun: false })).rejects.toThrow('cut off');
    await resumeErasures({ ...current(), ...ports(), logger: SILENT });
    expect(await people.user('user_ann')).toBeNull();
    expect(await erasures.open()).toEqual([]);
  });

  test('only the note of a ledger entry can be replaced by a pseudonym', async () => {
    await fill();
    const { signIn, accountErasures } = current();
    const refused = /append-only|never changed/;
    await expect(signIn.run(`UPDATE ledger_entries SET note = 'erased-0123abcd'`, [])).rejects.toThrow(refused);
    const bad = { accountId: 'acme', names: [], pseudonym: 'me' };
    await expect(accountErasures.remove('ledgerNotes', bad, 0)).rejects.toThrow(refused);
    const good = { ...bad, pseudonym: 'erased-0123abcd' };
    expect(await accountErasures.remove('ledgerNotes', good, 0)).toEqual({ removed: 1, next: null });
    await expect(signIn.run(`UPDATE ledger_entries SET note = 'erased-0123abcd'`, [])).rejects.toThrow(refused);
  });
}
