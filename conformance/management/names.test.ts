import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ACME, type Ask, Scene } from './scene.ts';

/* Answers have names beside ids, so that no reader has to look them up. */

setDefaultTimeout(240_000);

let scene: Scene;

const ofAcme = { account_id: ACME };
const create = async (path: string, body: object, ask: Ask = {}) => {
  const { status, body: made } = await scene.ask(path, { body, ...ask });
  expect([path, status]).toEqual([path, 201]);
  return made;
};
const first = async (path: string, query = {}) => (await scene.ask(path, { query })).body.data[0];

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
