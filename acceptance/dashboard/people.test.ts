import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import type { Serving } from '../../conformance/shared/serving.ts';
import { Workspace } from '../../conformance/shared/workspace.ts';
import { sharedChromium } from '../shared/chromium.ts';
import { TEST_BUNDLES } from '../shared/dashboard-bundle.ts';

/* People join by the printed link, in a real browser, with a passkey. */

const PASSWORD = 'correct horse battery';

let browser: Browser;
let space: Workspace;
let serving: Serving;
let origin = '';

beforeAll(async () => {
  space = await Workspace.create();
  serving = await space.serve({ env: { SWITCHYARD_DASHBOARD_BUNDLES: TEST_BUNDLES } });
  // WebAuthn does not accept an IP address as the relying party's id.
  origin = `http://localhost:${serving.port}`;
  browser = await sharedChromium();
});

afterAll(async () => {
  await serving?.stop();
  await space?.remove();
});

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends a request from a script of the page. */
async function ask(page: Page, method: string, path: string, body?: object): Promise<Answer> {
  return await page.evaluate(
    async ([method, path, body]) => {
      const init = { method, headers: { 'content-type': 'application/json' }, ...(body ? { body } : {}) };
      const answer = await fetch(`/v1/management${path}`, init);
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
    },
    [method, path, body === undefined ? '' : JSON.stringify(body)] as const,
  );
}

/** Runs the browser's WebAuthn call, and resolves to the credential to send to the gateway. */
async function withPasskey(page: Page, verb: 'create' | 'get', options: unknown): Promise<unknown> {
  const parse = verb === 'create' ? 'parseCreationOptionsFromJSON' : 'parseRequestOptionsFromJSON';
  const publicKey = `PublicKeyCredential.${parse}(${JSON.stringify(options)})`;
  return await page.evaluate(`navigator.credentials.${verb}({ publicKey: ${publicKey} }).then((one) => one.toJSON())`);
}

test('the first operator joins by the printed link, and signs in with a passkey as both factors', async () => {
  const link = /\/welcome#(\w{40})/.exec(serving.stdout)?.[0] ?? 'none';
  const context = await browser.newContext();
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(`${origin}${link}`);
  await page.getByText('You’ll be an admin').waitFor();
  expect(page.url()).toBe(`${origin}/welcome`);
  await page.getByLabel('Email').fill('op@example.com');
  await page.getByLabel('Name').fill('Op');
  await page.getByLabel('Password').first().fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.waitForURL(`${origin}/app/a/default/first-steps`);
  expect(problems).toEqual([]);
  expect(asked.join('\n')).not.toContain(link.slice(-40));
  expect((await ask(page, 'GET', '/me')).body).toMatchObject({ email: 'op@example.com', operator: true });

  // When the session ends, the dashboard's sign-in page would ask for a challenge of its own, which replaces the test's.
  await page.goto(`${origin}/healthz`);
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const offer = await ask(page, 'GET', '/auth/passkey/generate-register-options');
  const response = await withPasskey(page, 'create', offer.body);
  expect(await ask(page, 'POST', '/auth/passkey/verify-registration', { response, name: 'Laptop' })).toMatchObject({
    status: 200,
  });
  expect(await ask(page, 'POST', '/auth/sign-out', {})).toMatchObject({ status: 200 });
  expect(await ask(page, 'GET', '/me')).toMatchObject({ status: 401 });
  const challenge = await ask(page, 'GET', '/auth/passkey/generate-authenticate-options');
  expect(challenge.body).toMatchObject({ userVerification: 'required' });
  const proof = await withPasskey(page, 'get', challenge.body);
  expect(await ask(page, 'POST', '/auth/passkey/verify-authentication', { response: proof })).toMatchObject({
    status: 200,
  });
  expect((await ask(page, 'GET', '/sessions')).body).toMatchObject({
    data: [{ current: true, second_factor: true }],
  });
  expect(await ask(page, 'POST', '/auth/passkey/verify-authentication', { response: proof })).not.toMatchObject({
    status: 200,
  });
  await page.goto(`${origin}${link}`);
  await page.getByText('This link isn’t valid').waitFor();
  await context.close();
});
