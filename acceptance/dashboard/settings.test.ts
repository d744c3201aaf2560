import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { codeOf } from '../../conformance/management/browser.ts';
import { TestMailServer } from '../../conformance/shared/mail-server.ts';
import { pngOf } from '../../conformance/shared/png.ts';
import { until } from '../../conformance/shared/until.ts';
import { DashboardScene, ok, PASSWORD, type Person, type Window } from './scene.ts';

/* The gateway's settings: the list with its index, human units, the branding, and the test of the mail server. */

const SETTINGS = '/app/operator/settings';

let scene: DashboardScene;
let operator: Person;
let mail: TestMailServer;
let backupCodes: string[];
/** The operator's window, and that of a visitor who has not signed in. */
let window: Window;
let visitor: Window;

beforeAll(async () => {
  mail = new TestMailServer();
  const configuration = {
    sandbox: true,
    server: { metrics_token: `\${METRICS_TOKEN}` },
    retention: { request_log_days: 90 },
  };
  scene = await DashboardScene.open({ configuration, env: { METRICS_TOKEN: 'a-token-of-this-test' } });
  operator = await scene.operator();
  const { script } = operator;
  const enabled = ok(await script.ask(0, 'POST /auth/two-factor/enable', { password: PASSWORD })).json;
  ok(await script.ask(0, 'POST /auth/two-factor/verify-totp', { code: codeOf(String(enabled.totpURI)) }));
  backupCodes = [...(enabled.backupCodes as string[])];
  window = await scene.window(operator, { path: SETTINGS });
  visitor = await scene.window(undefined, { path: '/app/sign-in' });
});
afterAll(async () => {
  mail?.close();
  await scene?.close();
});

// Tests know its shape.
const settings = async (): Promise<any> => ok(await operator.script.ask(0, 'GET /settings')).json;
/** Makes the second factor recent again. */
const recent = async () =>
  ok(await operator.script.ask(0, 'POST /auth/two-factor/verify-backup-code', { code: backupCodes.pop() }));
// Notices are dialogs, too.
const changing = (page: Page) => page.getByRole('dialog', { name: /^Change/ });
const rowOf = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });

describe('the list', () => {
  test('has an index, a sentence for each setting, human units, and the source of each value', async () => {
    const { page } = window;
    const index = page.getByRole('navigation', { name: 'Settings index' });
    await index.waitFor();
    expect(await index.getByRole('button').allTextContents()).toEqual([
      ...['Branding', 'Sign-in', 'Email', 'Server', 'Routing', 'Billing', 'Usage', 'Seller on statements'],
      ...['Model catalog', 'Cache', 'Tasks', 'Batches', 'Web search'],
      ...['Remote media', 'Media storage', 'Data retention', 'Account quotas', 'Alerts'],
      ...['Telemetry', 'Log lines', 'Exports', 'Environment variables'],
    ]);
    expect(await page.getByText('server.public_url', { exact: true }).isVisible()).toBe(true);
    await index.getByRole('button', { name: 'Cache' }).click();
    const heading = page.getByRole('heading', { name: /^Cache/ });
    await until('the group is at the top', async () => ((await heading.boundingBox())?.y ?? 900) < 200);
    expect(new URL(page.url()).searchParams.get('section')).toBe('cache');

    const life = rowOf(page, 'cache.ttl_seconds');
    expect(await life.innerText()).toContain('How long a response is reused.');
    expect(await life.innerText()).toContain('1 day');
    expect(await life.innerText()).toContain('Default');
    expect(await rowOf(page, 'server.max_body_bytes').innerText()).toMatch(/\d+ MB/);
    expect(await rowOf(page, 'retention.request_log_days').innerText()).toContain('90 days');
    expect(await rowOf(page, 'retention.request_log_days').innerText()).toContain('Config file');
    expect(await rowOf(page, 'server.metrics_token').innerText()).toContain('Environment: METRICS_TOKEN');
    expect(await page.content()).not.toContain('a-token-of-this-test');
    const withoutSentence = `[...document.querySelectorAll('[id^="settings-"] li > :first-child')]
      .filter((one) => one.querySelectorAll('p').length < 2)
      .map((one) => one.innerText)`;
    expect(await page.evaluate<string[]>(withoutSentence)).toEqual([]);
  });

  test('shows which value is in use and which one after a restart', async () => {
    await window.anew(`${SETTINGS}?q=routing.deadline`);
    const { page } = window;
    await page.getByRole('button', { name: 'Change: Request deadline' }).click();
    const dialog = changing(page);
    expect(await dialog.getByLabel('New value').inputValue()).toBe('10');
    await dialog.getByLabel('New value').fill('1.5');
    await dialog.getByText('Stored as 90,000 milliseconds.').waitFor();
    await dialog.getByRole('combobox', { name: 'Unit' }).click();
    await page.getByRole('option', { name: 'hours' }).click();
    await dialog.getByText('Stored as 5,400,000 milliseconds.').waitFor();
    await window.expectSound();
    await dialog.getByRole('button', { name: 'Save (applies after restart)' }).click();
    await page.getByText('1 change pending restart').waitFor();
    expect((await settings()).sections.routing.deadline_ms).toMatchObject({ value: 600_000, after_restart: 5_400_000 });
    const row = await rowOf(page, 'routing.deadline_ms').innerText();
    expect(row.replace(/\s+/g, ' ')).toMatch(/10 minutes In use .* 1\.5 hours After restart/);
    await window.expectSound();
    await page.getByRole('button', { name: 'Reset: Request deadline' }).click();
    await page.getByText('1 change pending restart').waitFor({ state: 'detached' });
  });

  test('fits every width, and has no barriers on a phone', async () => {
    const { page } = window;
    await window.anew(SETTINGS);
    await rowOf(page, 'branding.name').waitFor();
    const tooWide: string[] = [];
    for (const width of [1440, 1280, 1024, 360]) {
      await page.setViewportSize({ width, height: 900 });
      await window.settled();
      const needed = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (needed > width) tooWide.push(`${needed} pixels at ${width}`);
    }
    expect(tooWide).toEqual([]);
    // Axe needs more time for this page than for any other. `every-view.test.ts` runs it at the width of a desktop.
    await window.expectSound();
    await page.setViewportSize({ width: 1280, height: 900 });
  });
});

describe('the mail server', () => {
  test('is set, tested before the restart with an email to the own address, and its refusal is shown', async () => {
    await recent();
    await window.anew(`${SETTINGS}?q=mail`);
    const { page } = window;
    await page.getByText('No mail server yet.').waitFor();
    await page.getByRole('button', { name: 'Change: SMTP server' }).click();
    const dialog = changing(page);
    await dialog.getByRole('button', { name: 'Save (applies after restart)' }).click();
    await dialog.getByText(/^Must be an address such as/).waitFor();
    await dialog.getByLabel('Host').fill('127.0.0.1');
    await dialog.getByLabel('Port').fill(String(mail.port));
    await dialog.getByRole('radio', { name: 'STARTTLS' }).click();
    await window.expectSound();
    await dialog.getByRole('button', { name: 'Save (applies after restart)' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Change: From' }).click();
    await dialog.getByLabel('New value').fill('Gateway <gateway@example.com>');
    await dialog.getByRole('button', { name: 'Save (applies after restart)' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText(/through the mail server that applies after the restart/).waitFor();
    expect(await rowOf(page, 'mail.smtp_url').innerText()).toMatch(/set\s+After restart/i);
    await page.getByRole('button', { name: 'Send test email' }).click();
    await page.getByText(`The mail server accepted the email to ${operator.email}`).waitFor();
    expect(mail.mails.at(-1)).toMatchObject({
      to: operator.email,
      subject: expect.stringMatching(/^Test email from /),
    });
    mail.refusal = '550 5.1.1 no such mailbox here';
    await page.getByRole('button', { name: 'Send test email' }).click();
    await page.getByText('The mail server rejected the sender or the recipient.').waitFor();
    await page.getByText('550 5.1.1 no such mailbox here').waitFor();
    await window.expectSound();
    mail.refusal = null;
  });
});

describe('the branding', () => {
  test('applies at once to the frame, the sign-in page and both themes, whatever the color', async () => {
    await window.loadAnew(`${SETTINGS}?q=branding`);
    const { page } = window;
    const change = async (label: string) => {
      await page.getByRole('button', { name: `Change: ${label}`, exact: true }).click();
      return changing(page);
    };
    const name = await change('Name');
    await name.getByLabel('New value').fill('Acme AI');
    await name.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'Acme AI' }).waitFor();
    expect(await page.title()).toBe('Settings · Acme AI');

    for (const color of ['#ffee00', '#000000', '#ffffff']) {
      const dialog = await change('Accent color');
      await dialog.getByLabel('New value').fill(color);
      await dialog.getByRole('button', { name: 'Save', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
      await rowOf(page, 'branding.accent_color').getByText(color).waitFor();
      await window.expectSound();
    }
    const wrong = await change('Accent color');
    await wrong.getByLabel('New value').fill('yellow');
    await wrong.getByRole('button', { name: 'Save', exact: true }).click();
    await wrong.getByText('Must be a color such as "#0f5fb8"').waitFor();
    await wrong.getByRole('button', { name: 'Cancel' }).click();

    const logo = await change('Logo');
    const file = logo.getByLabel('Logo file');
    await file.setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') });
    await logo.getByText('logo.svg isn’t a supported file type').waitFor();
    await file.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('<svg/>') });
    await logo.getByRole('button', { name: 'Save', exact: true }).click();
    await logo.getByText('Is not a PNG or WebP image').waitFor();
    const buffer = pngOf({ width: 96, height: 24, alpha: true });
    await file.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer });
    await logo.getByText('Preview').waitFor();
    await window.expectSound();
    await logo.getByRole('button', { name: 'Save', exact: true }).click();
    await logo.waitFor({ state: 'detached' });
    const shown = (place: Page) =>
      place.evaluate<number>(`document.querySelector('img[src^="app/branding/"]')?.naturalWidth ?? 0`);
    await until('the logo is in the frame', async () => (await shown(page)) === 96);

    await visitor.loadAnew('/app/sign-in');
    await visitor.page.getByRole('heading', { name: 'Sign in to Acme AI' }).waitFor();
    await until('the logo is on the sign-in page', async () => (await shown(visitor.page)) === 96);
    await visitor.expectSound();
    const { style_url: style } = (await settings()).branding;
    expect(await visitor.page.locator('link[data-branding]').getAttribute('href')).toBe(style);
  });

  test('the support address needs a second factor, and is a link on the sign-in page and in the navigation', async () => {
    await recent();
    await window.loadAnew(`${SETTINGS}?q=support`);
    const { page } = window;
    await page.getByRole('button', { name: 'Change: Support address' }).click();
    await page.getByLabel('New value').fill('javascript:alert(1)');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(/^Must be an email address/).waitFor();
    await page.getByLabel('New value').fill('help@acme.example');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const link = page.getByRole('link', { name: 'Support' });
    await link.waitFor();
    expect(await link.getAttribute('href')).toBe('mailto:help@acme.example');
    await visitor.page.setViewportSize({ width: 360, height: 900 });
    await visitor.loadAnew('/app/sign-in');
    const help = visitor.page.getByRole('link', { name: 'help@acme.example' });
    await help.waitFor();
    expect(await help.getAttribute('href')).toBe('mailto:help@acme.example');
    expect(await visitor.page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await visitor.expectSound();
  });
});
