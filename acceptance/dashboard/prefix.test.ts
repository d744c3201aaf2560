import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { DashboardScene, ok, PASSWORD, type Person } from './scene.ts';

/* The addresses that the dashboard shows, below a path that a proxy strips without announcing it. */

const PREFIX = '/ai/gateway';

let scene: DashboardScene;
let proxy: ReturnType<typeof Bun.serve>;
let operator: Person;
/** The address of the gateway for people and programs. */
let address: string;

beforeAll(async () => {
  scene = await DashboardScene.open();
  operator = await scene.operator();
  ok(await operator.script.ask(0, 'POST /accounts', { id: 'halyard', name: 'Halyard Robotics', balance_usd: '5' }));
  proxy = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: belowPrefix });
  address = `http://localhost:${proxy.port}${PREFIX}`;
});
afterEach(async () => scene?.closeWindows());
afterAll(async () => {
  await proxy?.stop(true);
  await scene?.close();
});

/** Strips the prefix, and passes everything else on, the host included. */
async function belowPrefix(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  if (!pathname.startsWith(`${PREFIX}/`)) return new Response('not the gateway', { status: 404 });
  const { method, headers, body } = request;
  const target = `http://127.0.0.1:${scene.serving.port}${pathname.slice(PREFIX.length)}${search}`;
  return fetch(target, { method, headers, body, redirect: 'manual', decompress: false });
}

test('snippets and the playground’s code keep the path, and work', async () => {
  const { page } = await scene.window(operator, { path: `${address}/app/a/default/first-steps?step=clients` });
  await page.getByRole('tab', { name: 'curl' }).click();
  const snippet = page.getByRole('figure', { name: 'Shell' }).locator('code');
  expect(await snippet.textContent()).toContain(`${address}/v1/`);
  await page.getByRole('tab', { name: 'Anthropic SDK' }).click();
  expect(await page.getByRole('figure', { name: 'TypeScript' }).locator('code').textContent()).toContain(
    `"${address}"`,
  );

  await page.goto(`${address}/app/a/default/playground?model=sandbox-chat`);
  await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('Who are you?');
  await page.getByRole('button', { name: 'Code', exact: true }).click();
  const curl = page.getByRole('figure', { name: 'curl' }).locator('code');
  expect(await curl.textContent()).toContain(`${address}/v1/chat/completions`);
  // The navigation knows where it is, too.
  const current = page.getByRole('navigation', { name: 'Navigation' }).locator('[aria-current=page]');
  expect(await current.allTextContents()).toEqual(['Playground']);
});

test('an invitation and a password link keep the path, and lead to the account by its name', async () => {
  const { page } = await scene.window(operator, { path: `${address}/app/a/halyard/members` });
  await page.getByRole('button', { name: 'Invite member' }).first().click();
  await page.getByLabel('Email').fill('ann@example.com');
  await page.getByRole('button', { name: 'Create invite link' }).click();
  const link = String(await page.getByText(/\/welcome#\w{40}$/).textContent());
  expect(link).toStartWith(`${address}/welcome#`);

  const guest = await scene.window(undefined, { path: link });
  await guest.page.getByText('You’ve been invited to join Halyard Robotics as a member.').waitFor();
  await guest.page.reload();
  await guest.page.getByLabel('Name').fill('Ann');
  await guest.page.getByLabel('Password').first().fill(PASSWORD);
  await guest.page.getByRole('button', { name: 'Create account' }).click();
  await guest.page.waitForURL(`${address}/app/a/halyard/overview`);

  await page.goto(`${address}/app/operator/users?q=ann`);
  await page.getByRole('button', { name: 'Ann', exact: true }).click();
  await page.getByRole('button', { name: 'Reset password' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Create link' }).click();
  const reset = String(await page.getByText(/\/welcome#\w{40}$/).textContent());
  expect(reset).toStartWith(`${address}/welcome#`);
});
