import { afterEach, beforeEach, expect, test } from 'bun:test';
import { ChannelTestSlots } from '../../../engine/channel-tests/test-channel.ts';
import type { GuardCheck } from '../../../engine/guards/guard-check.ts';
import { sampleAccount, sampleCredential, sampleModel } from '../../../engine/ports/testing/samples.ts';
import { closeTestStores } from '../../../stores/sqlite/testing/test-store.ts';
import { ManagementFixture, OPERATOR, token } from '../testing/management-fixture.ts';
import { guardRoutes } from './guards.ts';
import { keyRoutes } from './keys.ts';

const ACME = token('acme');
const SECRET = `whsec_${'A'.repeat(43)}=`;

let management: ManagementFixture;
/** Decides for the webhook of the guard. */
let check: GuardCheck['check'];

beforeEach(async () => {
  check = async () => ({ verdicts: [] });
  const asked: GuardCheck = { name: 'webhook', onFailure: 'closed', check: (...call) => check(...call) };
  management = await ManagementFixture.open((fixture) => [
    ...guardRoutes({
      ...fixture,
      checks: {
        of: ({ webhook }) => (webhook === undefined ? [] : [asked]),
        problemOf: (url) => (url.startsWith('https:') ? null : 'https_required'),
      },
      slots: new ChannelTestSlots({ all: 2, perAccount: 2 }),
    }),
    ...keyRoutes(fixture),
  ]);
  await management.store.directory.write('all', (writer) => {
    writer.putAccount(sampleAccount({ id: 'acme' }));
    writer.putCredential(sampleCredential({ accountId: 'acme', id: 'k0' }));
    writer.putModel(sampleModel({ id: 'm' }));
  });
  const guard = { id: 'privacy', stages: ['input', 'output'], pii: [{ class: 'email' }] };
  expect((await operator('POST /guards', guard)).status).toBe(201);
});
afterEach(closeTestStores);

const operator = (line: string, body?: unknown) => management.ask(OPERATOR, line, body);
const onKey = (line: string) => `${line}?account_id=acme`;

test('a guard is deleted when nothing in force names it any more', async () => {
  await operator(onKey('PATCH /keys/k0'), { guards: ['privacy'] });
  await management.store.directory.write('all', (writer) => {
    writer.putAccount(sampleAccount({ id: 'other', guards: ['privacy'] }));
    writer.putModel(sampleModel({ id: 'm', guards: ['privacy'] }));
  });
  const refused = await operator('DELETE /guards/privacy');
  expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict']);
  expect(refused.body.error.message).toContain('the model "m", the account "other", the key "acme/k0"');
  await management.store.directory.write('all', (writer) => {
    writer.putAccount(sampleAccount({ id: 'other', guards: ['privacy_2'] }));
    writer.putModel(sampleModel({ id: 'm' }));
  });
  await operator(onKey('DELETE /keys/k0'));
  expect((await operator('DELETE /guards/privacy')).status).toBe(204);
});

test('members add guards to a key, and only operators remove them', async () => {
  await operator('POST /guards', { id: 'terms', terms: [{ name: 'names', terms: ['bluebird'] }] });
  const change = (guards: unknown) => management.ask(ACME, 'PATCH /keys/k0', { guards });
  expect((await change(['privacy'])).body).toMatchObject({ guards: ['privacy'] });
  expect((await change(['terms', 'privacy'])).body).toMatchObject({ guards: ['terms', 'privacy'] });
  for (const fewer of [['terms'], [], null]) {
    const { status, body } = await change(fewer);
    expect([status, body.error.param, body.error.code]).toEqual([403, 'guards', 'access_denied']);
  }
  expect((await management.ask(ACME, 'PATCH /keys/k0', { name: 'CI' })).status).toBe(200);
  expect((await operator(onKey('PATCH /keys/k0'), { guards: [] })).body).toMatchObject({ guards: [] });
});

test('a webhook keeps what a change leaves out, and a new secret is in the audit log without its value', async () => {
  const webhook = { url: 'https://guards.example.com/check', secret: SECRET, timeout_ms: 500 };
  await operator('PATCH /guards/privacy', { webhook });
  const changed = await operator('PATCH /guards/privacy', { webhook: { secret: `whsec_${'B'.repeat(43)}=` } });
  expect(changed.body.webhook).toEqual({
    ...{ url_preview: 'https://guards.example.com', on_failure: 'closed', timeout_ms: 500 },
  });
  const { guards } = await management.store.directory.read({});
  expect(guards?.[0]?.webhook).toMatchObject({ url: webhook.url, secret: `whsec_${'B'.repeat(43)}=` });
  const [last] = await management.store.audit.page({ order: 'newest', after: null, limit: 1 });
  expect(last).toMatchObject({ action: 'guard.change', objectId: 'privacy' });
  expect(JSON.stringify(last)).not.toContain('whsec_');
  const without = await operator('POST /guards', { id: 'other', webhook: { url: webhook.url } });
  expect(without.body.error.param).toBe('webhook.secret');
});

test('a webhook that the gateway would never ask is refused when a guard is stored', async () => {
  const plain = { url: 'http://guards.example.com/check', secret: SECRET };
  const refused = { param: 'webhook.url', message: expect.stringContaining('alerts.allow_http') };
  const created = await operator('POST /guards', { id: 'other', webhook: plain });
  expect(created.body.error).toMatchObject(refused);
  const changed = await operator('PATCH /guards/privacy', { webhook: plain });
  expect(changed.body.error).toMatchObject(refused);
});

test('a guard is tried on a text of a request and of a response', async () => {
  const text = 'Ask ada@example.com';
  expect((await operator('POST /guards/privacy/test', { text })).body).toEqual({
    ...{ object: 'guard_test', guard: 'privacy', stage: 'input', refused: false, text: 'Ask [EMAIL_1]' },
    ...{ verdicts: [{ rule: 'email', action: 'mask', count: 1 }], error: null, failed: [] },
  });
  expect((await operator('POST /guards/privacy/test', { text, stage: 'output' })).body.text).toBe(
    'Ask ***************',
  );
  await operator('PATCH /guards/privacy', {
    stages: ['input'],
    webhook: { url: 'https://a.example.com', secret: SECRET },
  });
  const other = await operator('POST /guards/privacy/test', { text, stage: 'output' });
  expect(other.body.error).toMatchObject({ code: 'invalid_value', param: 'stage' });
  check = async ({ texts }) => ({ verdicts: [{ rule: texts[0] ?? '', action: 'refuse', texts: [] }] });
  expect((await operator('POST /guards/privacy/test', { text })).body).toMatchObject({
    ...{ refused: true, text: null, error: { code: 'content_policy_violation' } },
    verdicts: [{ rule: 'email' }, { rule: 'Ask [EMAIL_1]', action: 'refuse' }],
  });
  check = async () => ({ problem: 'timeout' });
  expect((await operator('POST /guards/privacy/test', { text })).body).toMatchObject({
    ...{ refused: true, error: { code: 'guard_unavailable' }, failed: [{ check: 'webhook', problem: 'timeout' }] },
  });
  expect((await operator('POST /guards/privacy/test', { text: 'a'.repeat(20_001) })).body.error.param).toBe('text');
  expect((await management.ask(ACME, 'POST /guards/privacy/test', { text })).status).toBe(403);
});
