import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { asObject } from '../shared/json.ts';
import { TestMailServer } from '../shared/mail-server.ts';
import { pngOf } from '../shared/png.ts';
import type { Serving } from '../shared/serving.ts';
import { RunningClock } from '../shared/test-clock.ts';
import { Workspace } from '../shared/workspace.ts';
import { Browser, type Seen } from './browser.ts';
import { OPERATOR_EMAIL as EMAIL, signUpOperator } from './first-operator.ts';

/* The gateway's name and look on pages and in emails, and the test of the mail server. */

setDefaultTimeout(240_000);

const TOKEN = 'mt-operator-of-the-branding-00001';
const HOUSE = {
  ...{ id: 'house', admin: true, billing: 'unlimited' },
  management_tokens: [{ id: 'ops', secret: TOKEN }],
};

let space: Workspace;
let serving: Serving;
let operator: Browser;
let mail: TestMailServer;
const clock = new RunningClock();

beforeAll(async () => {
  space = await Workspace.create();
  mail = new TestMailServer();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    sandbox: true,
    mail: { smtp_url: `smtp://127.0.0.1:\${SMTP_PORT}`, from: 'Gateway <gateway@example.com>' },
    branding: { support_address: 'help@acme.example' },
    accounts: [HOUSE],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG, SMTP_PORT: String(mail.port) }, clock });
  operator = await signUpOperator([serving]);
});
afterAll(async () => {
  mail?.close();
  await space?.remove();
});

const told = ({ status, json }: Seen) => [status, asObject(json.error ?? {}).code, asObject(json.error ?? {}).param];
const page = async (path: string) => fetch(serving.origin + path, { headers: { accept: 'text/html' } });
const lastMail = () => mail.mails.at(-1);

test('pages and emails have the new name at once, and visitors learn nothing else', async () => {
  expect(await (await page('/app/sign-in')).text()).toContain('<title>Switchyard</title>');
  const logo = `data:image/png;base64,${pngOf({ width: 24, height: 8 }).toString('base64')}`;
  const changed = await operator.ask(0, 'PATCH /settings', {
    branding: { name: 'Acme & Söhne', logo, accent_color: '#ffee00' },
  });
  expect(changed.json.branding).toEqual({
    name: 'Acme & Söhne',
    logo_url: expect.stringMatching(/^app\/branding\/[0-9a-f]{16}\/logo$/),
    style_url: expect.stringMatching(/^app\/branding\/[0-9a-f]{16}\/accent\.css$/),
    support_url: 'mailto:help@acme.example',
  });
  const html = await (await page('/app/sign-in')).text();
  expect(html).toContain('<title>Acme &amp; Söhne</title>');
  const { logo_url: logoUrl, style_url: styleUrl } = changed.json.branding as Record<string, string>;
  const shown = await page(`/${logoUrl}`);
  expect([shown.status, shown.headers.get('content-type'), (await shown.bytes()).length > 50]).toEqual([
    ...[200, 'image/png', true],
  ]);
  expect(await (await page(`/${styleUrl}`)).text()).toStartWith('@media screen{:root{--accent:#');
  expect(await (await page('/docs/guides')).text()).toContain('Guides · Acme &amp; Söhne</title>');
  expect(await (await page('/docs')).text()).toContain('API reference · Acme &amp; Söhne</title>');
  expect(asObject(await (await page('/openapi.json')).json()).info).toMatchObject({ title: 'Acme & Söhne' });
  const visitor = new Browser([serving]);
  expect(told(await visitor.ask(0, 'GET /settings'))[0]).toBe(401);
  const options = await visitor.ask(0, 'GET /sign-in-options');
  expect(JSON.stringify(options.json)).not.toContain('Acme');
});

test('emails have the name, and the support address', async () => {
  const other = await Workspace.create();
  const SWITCHYARD_CONFIG = await other.write('switchyard.yaml', {
    ...{ sandbox: true, server: { public_url: 'https://ai.example.com' } },
    mail: { smtp_url: `smtp://127.0.0.1:${mail.port}`, from: 'gateway@example.com' },
    branding: { name: 'Acme & Söhne', support_address: 'https://acme.example/help' },
    accounts: [HOUSE, { id: 'acme' }],
  });
  const gateway = await other.serve({ env: { SWITCHYARD_CONFIG } });
  await fetch(`${gateway.origin}/v1/management/invitations?account_id=acme`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ann@example.com', role: 'owner' }),
  });
  expect(lastMail()).toMatchObject({ to: 'ann@example.com', subject: 'You’ve been invited to Acme & Söhne' });
  expect(lastMail()?.text).toContain('to the account "acme" of Acme & Söhne, the AI gateway at https://ai.example.com');
  expect(lastMail()?.text.trimEnd()).toEndWith('\n\nAcme & Söhne\nHelp: https://acme.example/help');
  await other.remove();
});

test('what the file sets stays, and the variables of its values are named', async () => {
  const { sections } = (await operator.ask(0, 'GET /settings')).json as Record<string, any>;
  expect(sections.branding.support_address).toMatchObject({ source: 'file', changeable: false });
  expect(sections.mail.smtp_url).toEqual({
    ...{ value: '(set)', source: 'file', variables: ['SMTP_PORT'] },
    changeable: false,
  });
  expect(sections.mail.max_per_hour).toEqual({ value: 1_000, source: 'default', changeable: true });
  expect(told(await operator.ask(0, 'PATCH /settings', { branding: { support_address: 'x@example.com' } }))).toEqual([
    ...[409, 'conflict', 'branding.support_address'],
  ]);
});

test('a logo is refused by its content', async () => {
  const svg = `data:image/png;base64,${btoa('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')}`;
  const before = (await operator.ask(0, 'GET /settings')).json.branding;
  expect(told(await operator.ask(0, 'PATCH /settings', { branding: { logo: svg } }))).toEqual([
    ...[400, 'invalid_value', 'branding.logo'],
  ]);
  expect((await operator.ask(0, 'GET /settings')).json.branding).toEqual(before);
});

test('a test email goes to the own address only, and a refusal has the words of the mail server', async () => {
  const sent = await operator.ask(0, 'POST /settings/test-mail');
  expect([sent.status, sent.json]).toMatchObject([
    200,
    { object: 'mail_test', to: EMAIL, pending: false, sent: true, problem: null },
  ]);
  expect(lastMail()).toMatchObject({ to: EMAIL, subject: 'Test email from Acme & Söhne' });
  mail.refusal = '550 5.7.1 relaying denied';
  expect((await operator.ask(0, 'POST /settings/test-mail')).json).toMatchObject({
    sent: false,
    problem: { kind: 'address_refused', status: 550, server_said: expect.stringContaining('relaying denied') },
  });
  mail.refusal = null;
  const audit = await operator.ask(0, 'GET /audit?action=settings.test_mail');
  expect((audit.json.data as { after: unknown }[]).map(({ after }) => after)).toEqual([
    { sent: false, problem: 'address_refused', status: 550 },
    { sent: true },
  ]);
});

test('a token has no address, and one person may send five in ten minutes', async () => {
  const asToken = await fetch(`${serving.origin}/v1/management/settings/test-mail`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  expect([asToken.status, asObject(await asToken.json()).error]).toMatchObject([
    409,
    { code: 'conflict', param: 'to' },
  ]);
  for (let count = 3; count <= 5; count++)
    expect((await operator.ask(0, 'POST /settings/test-mail')).json.sent).toBe(true);
  const refused = await operator.ask(0, 'POST /settings/test-mail');
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
  const count = mail.mails.length;
  clock.advance(600_000);
  expect((await operator.ask(0, 'POST /settings/test-mail')).json.sent).toBe(true);
  expect(mail.mails.length).toBe(count + 1);
});
