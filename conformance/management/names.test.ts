import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ACME, ACME_KEY, type Ask, Scene } from './scene.ts';

/* Answers have names beside ids, so that no reader has to look them up. */

setDefaultTimeout(240_000);

let scene: Scene;

const ofAcme = { account_id: ACME };
/** The account of `ACME_KEY`. */
const FILED = { account_id: 'filed' };
const create = async (path: string, body: object, ask: Ask = {}) => {
  const { status, body: made } = await scene.ask(path, { body, ...ask });
  expect([path, status]).toEqual([path, 201]);
  return made;
};
const first = async (path: string, query = {}) => (await scene.ask(path, { query })).body.data[0];

const nameOfChannel = async (id: string) => (await scene.ask(`/channels/${id}`)).body.name;

beforeAll(async () => {
  scene = await Scene.open();
  await scene.ask(`/accounts/${ACME}`, { method: 'patch', body: { name: 'Acme Trading' } });
  await create('/keys', { id: 'ci', name: 'Continuous integration' }, { query: ofAcme });
  const channel = { provider: 'openai', api_key: 'sk-of-nobody-at-all-000001', models: { m: 'm' } };
  await create('/channels', { id: 'main', name: 'OpenAI main', ...channel });
});
afterAll(() => scene?.stop());

test('a rule has the names of its accounts, and of the key or channel of its condition', async () => {
  const ofKey = await create(
    '/alerts/rules',
    { budget_spent: { percent: 50, of: 'key', key: 'ci' } },
    { query: ofAcme },
  );
  expect(ofKey).toMatchObject({ account: ACME, account_name: 'Acme Trading', subject_name: 'Continuous integration' });
  const ofChannel = await create('/alerts/rules', { channel_state: { channel: 'main' } });
  expect(ofChannel).toMatchObject({
    account: null,
    account_name: null,
    account_names: null,
    subject_name: 'OpenAI main',
  });
  const ofAccounts = await create('/alerts/rules', { balance_below: { usd: '5' }, accounts: [ACME] });
  expect(ofAccounts).toMatchObject({ account_names: ['Acme Trading'], subject_name: null });
  const listed = (await scene.ask('/alerts/rules')).body.data;
  expect(listed.map(({ subject_name }: { subject_name: string }) => subject_name)).toEqual(
    expect.arrayContaining(['Continuous integration', 'OpenAI main', null]),
  );
});

test('an alert target has the name of its account', async () => {
  const hook = { name: 'On call', url: 'https://hooks.example.com/alerts' };
  const made = await create('/alerts/webhooks', hook, { query: ofAcme });
  expect(made).toMatchObject({ account_name: 'Acme Trading' });
  expect(await first('/alerts/webhooks', ofAcme)).toMatchObject({ account_name: 'Acme Trading' });
});

test('an invitation has the name of its account, also for the invited person', async () => {
  const made = await create('/invitations', { email: 'ann@example.com', role: 'member' }, { query: ofAcme });
  expect(made).toMatchObject({ account: ACME, account_name: 'Acme Trading' });
  expect(await first('/invitations', ofAcme)).toMatchObject({ account_name: 'Acme Trading' });
  const token = new URL(made.link).hash.slice(1);
  const { body } = await scene.ask('/invitations/lookup', { body: { token }, token: null });
  expect(body).toMatchObject({ account: ACME, account_name: 'Acme Trading' });
});

test('a task has the names of its account, key and channel', async () => {
  const body = { model: 'sandbox-video', prompt: 'a fox in the snow' };
  const { status } = await scene.ask('/v1/videos/generations', { body, token: ACME_KEY });
  expect(status).toBe(200);
  const listed = await first('/tasks', FILED);
  expect(listed).toMatchObject({ account: 'filed', account_name: 'Filed & Sons' });
  expect(listed.channel_name).toBe(await nameOfChannel(listed.channel));
  const { body: shown } = await scene.ask(`/tasks/${listed.id}`);
  const names = { account_name: 'Filed & Sons', key: 'ci', key_name: 'CI', channel_name: listed.channel_name };
  expect(shown).toMatchObject(names);
});

test('a cached response and a report about it have the names of account, channel and key', async () => {
  const body = { model: 'sandbox-chat', temperature: 0, messages: [{ role: 'user', content: 'Name a fox.' }] };
  const ask = { body, token: ACME_KEY, headers: { 'x-switchyard-cache': 'default' } };
  await scene.ask('/v1/chat/completions', ask);
  const { headers } = await scene.ask('/v1/chat/completions', ask);
  const entry = headers.get('x-cache-entry-id') ?? 'none';
  const report = { cache_entry_id: entry, feedback_type: 'wrong_answer', description: 'It is a cat.' };
  await scene.ask('/v1/cache/feedback', { body: report, token: ACME_KEY });
  const account = { account: 'filed', account_name: 'Filed & Sons' };
  const listed = await first('/cache/entries', FILED);
  expect(listed).toMatchObject({ ...account, channel_name: await nameOfChannel(listed.channel) });
  expect((await scene.ask(`/cache/entries/${entry}`)).body).toMatchObject(account);
  expect(await first('/cache/reports', FILED)).toMatchObject({ ...account, entry, key: 'ci', key_name: 'CI' });
});

test('entries of the ledger and of the audit log have the name of their account', async () => {
  expect(await first('/ledger', ofAcme)).toMatchObject({ account: ACME, account_name: 'Acme Trading', key_name: null });
  const file = (await scene.ask('/ledger/export', { query: ofAcme })).body;
  expect(file.split('\r\n')[0]).toBe('id,at,account,key,kind,amount_usd,request,note,account_name,key_name');
  expect(file.split('\r\n')[1]).toEndWith(',Acme Trading,');
  expect(await first('/audit', { ...ofAcme, action: 'key.create' })).toMatchObject({ account_name: 'Acme Trading' });
});

test('a deleted channel has no name', async () => {
  await scene.ask('/channels/main', { method: 'delete' });
  const listed = (await scene.ask('/alerts/rules')).body.data;
  const rule = listed.find(({ type }: { type: string }) => type === 'channel_state');
  expect(rule).toMatchObject({ channel_state: { channel: 'main' }, subject_name: null });
});
