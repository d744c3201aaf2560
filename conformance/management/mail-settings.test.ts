import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { asObject } from '../shared/json.ts';
import { TestMailServer } from '../shared/mail-server.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';
import { Browser, codeOf, type Seen } from './browser.ts';
import { OPERATOR_EMAIL as EMAIL, OPERATOR_PASSWORD as PASSWORD, signUpOperator } from './first-operator.ts';

/* The mail server is set over the API, tested before the restart, and used after it. */

setDefaultTimeout(240_000);

const MAIL_PASSWORD = 'a-password-of-this-mail-server';

let space: Workspace;
let serving: Serving;
let operator: Browser;
let mail: TestMailServer;

beforeAll(async () => {
  space = await Workspace.create();
  mail = new TestMailServer();
  serving = await space.serve();
  operator = await signUpOperator([serving]);
});
afterAll(async () => {
  mail?.close();
  await space?.remove();
});

const told = ({ status, json }: Seen) => [status, asObject(json.error ?? {}).code, asObject(json.error ?? {}).param];
const testMail = (by: Browser) => by.ask(0, 'POST /settings/test-mail');

test('without a mail server there is nothing to test', async () => {
  expect((await operator.ask(0, 'GET /settings')).json.mail).toBeNull();
  expect(told(await testMail(operator))).toEqual([409, 'conflict', 'mail.smtp_url']);
});

test('a server that was set is tested before the restart, and its address is never shown', async () => {
  const smtp = { mail: { smtp_url: `smtp://127.0.0.1:${mail.port}`, from: 'Acme <gate@acme.example>' } };
  expect(told(await operator.ask(0, 'PATCH /settings', smtp))).toEqual([403, 'access_denied', 'mail.smtp_url']);
  const enabling = await operator.ask(0, 'POST /auth/two-factor/enable', { password: PASSWORD });
  await operator.ask(0, 'POST /auth/two-factor/verify-totp', { code: codeOf(String(enabling.json.totpURI)) });
  // A server without a sender sends nothing.
  await operator.ask(0, 'PATCH /settings', { mail: { smtp_url: smtp.mail.smtp_url } });
  expect((await operator.ask(0, 'GET /settings')).json.mail).toBeNull();
  const changed = await operator.ask(0, 'PATCH /settings', { mail: { from: smtp.mail.from } });
  expect([changed.status, changed.json.mail]).toEqual([200, { from: smtp.mail.from, pending: true }]);
  const { mail: section } = changed.json.sections as Record<string, any>;
  expect(section.smtp_url).toEqual({
    ...{ value: null, source: 'default', changeable: true, needs_second_factor: true },
    after_restart: '(set)',
  });
  expect((await testMail(operator)).json).toMatchObject({ sent: true, pending: true, from: smtp.mail.from });
  expect(mail.mails.at(-1)).toMatchObject({ from: 'Acme <gate@acme.example>', to: EMAIL });
});

test('a password is stored encrypted, and is in no response, not even in the version of the settings', async () => {
  const smtpUrl = (password: string) => `smtp://gate:${password}@127.0.0.1:${mail.port}`;
  const set = (password: string) => operator.ask(0, 'PATCH /settings', { mail: { smtp_url: smtpUrl(password) } });
  const first = await set(MAIL_PASSWORD);
  const second = await set(`${MAIL_PASSWORD}-2`);
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.headers.get('etag')).toBe(String(first.headers.get('etag')));
  // This server offers no encryption, without which credentials are not sent.
  expect((await testMail(operator)).json).toMatchObject({ sent: false, pending: true, problem: { kind: 'tls' } });
  await operator.ask(0, 'GET /audit?limit=50');
  expect(operator.transcript.join('\n')).not.toContain(MAIL_PASSWORD);
  expect(serving.stdout).not.toContain(MAIL_PASSWORD);
  expect(await space.dataFilesWith(MAIL_PASSWORD)).toEqual([]);
  await operator.ask(0, 'PATCH /settings', { mail: { smtp_url: `smtp://127.0.0.1:${mail.port}` } });
});

test('the next start uses it, also on the command line', async () => {
  await operator.ask(0, 'PATCH /settings', { server: { public_url: 'https://ai.example.com' } });
  await serving.stop();
  serving = await space.serve();
  const visitor = new Browser([serving]);
  expect((await visitor.ask(0, 'GET /sign-in-options')).json.password_reset).toBe(true);
  await visitor.ask(0, 'POST /password-resets', { email: EMAIL });
  await until('the reset link is mailed', () => mail.mails.at(-1)?.subject === 'Reset your Switchyard password');
  const { exitCode } = await space.run(['users', 'invite', '--email', 'ann@example.com', '--operator']);
  expect(exitCode).toBe(0);
  expect(mail.mails.at(-1)).toMatchObject({ to: 'ann@example.com', from: 'Acme <gate@acme.example>' });
  expect(mail.mails.at(-1)?.text).toContain('https://ai.example.com/welcome#');
});
