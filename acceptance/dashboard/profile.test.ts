import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { codeOf } from '../../conformance/management/browser.ts';
import { until } from '../../conformance/shared/until.ts';
import { FakeIssuer } from '../../src/sign-in/testing/fake-issuer.ts';
import { download } from './downloads.ts';
import { DashboardScene, PASSWORD, type Person, type Window } from './scene.ts';

/* Changes to one's own sign-in: a required second factor, authenticator codes, a passkey, an issuer, the password. */

const EMAIL = 'op@example.com';
/** How long to wait for a button that may already be gone. */
const LOOK_MS = 1_000;
const NEW_PASSWORD = 'another horse, another battery';
/** Runs in the page: `copies` receives what is copied, whether or not the browser grants the clipboard. */
const RECORD_COPIES = `copies = [];
  navigator.clipboard.writeText = async (text) => void copies.push(text)`;
let scene: DashboardScene;
let operator: Person;
let issuer: FakeIssuer;
/** A window with a two-factor session, at the profile page. */
let own: Window;

beforeAll(async () => {
  issuer = new FakeIssuer({ sub: '1', email: EMAIL, email_verified: true });
  const oidc = [{ id: 'co', name: 'Acme login', issuer: issuer.url, client_id: 'c', client_secret: 's' }];
  const configuration = { sandbox: true, sign_in: { require_two_factor: 'operators', oidc } };
  scene = await DashboardScene.open({ configuration });
  operator = await scene.operator(EMAIL);
});
afterAll(async () => {
  await scene?.close();
  issuer.stop();
});

let totpUri = '';

/** Sends a management request from the page's own session. */
const read = (page: Page, path: string) =>
  page.evaluate<unknown>(`fetch('v1/management/${path}').then((answer) => answer.json())`);

test('an operator who must have a second factor is told so, sets one up, and continues', async () => {
  const window = await scene.window(operator, { path: '/app/operator/nodes' });
  const { page } = window;
  await page.waitForURL('**/app/me?next=*');
  await page.getByText('Two-factor authentication required').waitFor();
  await window.expectSound();
  await page.getByRole('button', { name: 'Set up' }).click();
  await page.getByLabel('Your password').fill('not the right one');
  await page.getByRole('button', { name: 'Set up' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Your password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set up' }).click();
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  const secret = await page.getByRole('textbox', { name: 'Key', exact: true }).inputValue();
  totpUri = `otpauth://totp/x?secret=${secret}`;
  await window.expectSound();
  await page.getByLabel('6-digit code').fill(codeOf(totpUri));
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByText('Each works once').waitFor();
  expect(await read(page, 'me')).toMatchObject({
    two_factor_enabled: true,
    needs_second_factor: false,
  });
  await page.getByRole('button', { name: 'I’ve saved it' }).click();
  await page.waitForURL('**/app/operator/nodes');
  expect(window.problems).toEqual([]);
});

test('signs in with a code, adds a passkey, signs in with it, and ends the other sessions', async () => {
  const window = await scene.window(undefined, { path: '/app/sign-in?next=/app/me' });
  const { page } = window;
  const cdp = await page.context().newCDPSession(page);
  await page.getByLabel('Email').fill(operator.email);
  await page.getByLabel('Password').first().fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByLabel('Code').fill(codeOf(totpUri, 1));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL('**/app/me');
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  await page.getByText('No passkeys yet').waitFor();
  await page.getByLabel('Passkey name').fill('Laptop');
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByRole('button', { name: 'Rename: Laptop' }).waitFor();
  await window.expectSound();

  // The browser offers the passkey by itself; accepting at once would sign in before the page is checked.
  const presence = (enabled: boolean) =>
    cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  await presence(false);
  await page.getByRole('button', { name: /’s menu$/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Switchyard' }).waitFor();
  await presence(true);
  const button = page.getByRole('button', { name: 'Sign in with a passkey' });
  const menu = page.getByRole('button', { name: /’s menu$/ });
  await until('the passkey has signed in', async () => {
    if (!(await menu.isVisible())) await button.click({ timeout: LOOK_MS }).catch(() => undefined);
    return await menu.isVisible();
  });
  await page.goto(`${scene.origin}/app/me`);
  await page.getByRole('button', { name: 'Sign out other sessions' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out other sessions' }).click();
  const notice = page.getByText(/sessions? ended/);
  await notice.waitFor();
  expect(await read(page, 'sessions')).toMatchObject({ data: [{ current: true, second_factor: true }] });
  await page.setViewportSize({ width: 360, height: 800 });
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  // On a narrow screen the notice covers the top of the page.
  await notice.waitFor({ state: 'hidden' });
  await window.expectSound();
  own = window;
});

test('renames and removes the passkey, and links and unlinks an issuer', async () => {
  const { page, problems } = own;
  await page.getByRole('button', { name: 'Rename: Laptop' }).click();
  await page.getByLabel('Passkey name').first().fill('Old laptop');
  await page.getByRole('button', { name: 'Save' }).nth(1).click();
  await page.getByRole('button', { name: 'Remove: Old laptop' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('No passkeys yet').waitFor();
  expect(problems).toEqual([]);

  await page.getByRole('button', { name: 'Connect Acme login' }).click();
  await page.getByText('connected', { exact: true }).waitFor();
  expect(problems.splice(0)).toEqual([expect.stringContaining(`asked ${issuer.url}/authorize`)]);
  await page.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect' }).click();
  await page.getByRole('button', { name: 'Connect Acme login' }).waitFor();
  expect(problems).toEqual([]);
});

test('gets new backup codes and a new password, signs in with both, and disables the second factor', async () => {
  const { page, problems } = own;
  await page.getByRole('button', { name: 'Generate new backup codes' }).click();
  await page.getByLabel('Your password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Generate new backup codes' }).click();
  await page.getByText('Each works once').waitFor();
  const codes = await page.getByRole('list', { name: 'Backup codes' }).getByRole('listitem').allTextContents();
  expect(codes.length).toBeGreaterThanOrEqual(5);
  for (const one of codes) expect(one).toMatch(/^\S+$/);
  const file = await download(page, 'Download');
  expect(file).toStartWith(`Switchyard backup codes for ${EMAIL}\n`);
  expect(file).toEndWith(`\n\n${codes.join('\n')}\n`);
  await page.evaluate(RECORD_COPIES);
  await page.getByRole('button', { name: 'Copy all' }).click();
  await page.getByRole('button', { name: 'Copied' }).or(page.getByText('Copied')).first().waitFor();
  expect(await page.evaluate<string[]>('copies')).toEqual([codes.join('\n')]);
  await own.expectSound();
  const [code = ''] = codes;
  await page.getByRole('button', { name: 'I’ve saved it' }).click();
  await page.getByLabel('Current password').fill('not the right one');
  await page.getByLabel('New password').fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Current password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Password changed').waitFor();

  await page.getByRole('button', { name: /’s menu$/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('Email').fill(operator.email);
  await page.getByLabel('Password').first().fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: 'Use a backup code' }).click();
  await page.getByLabel('Backup code').fill(code);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: /’s menu$/ }).waitFor();
  await own.load('/app/me');
  await page.getByRole('button', { name: 'Disable' }).click();
  await page.getByLabel('Your password').fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Disable' }).click();
  await page.getByText('Two-factor authentication required').waitFor();
  expect(await read(page, 'me')).toMatchObject({ two_factor_enabled: false, needs_second_factor: true });
  expect(problems).toEqual([]);
});
