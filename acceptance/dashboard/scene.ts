import { expect } from 'bun:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { Browser as Script, type Seen } from '../../conformance/management/browser.ts';
import type { Serving } from '../../conformance/shared/serving.ts';
import { until } from '../../conformance/shared/until.ts';
import { Workspace } from '../../conformance/shared/workspace.ts';
import type { Clock } from '../../src/engine/ports/clock.ts';
import { sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { sharedChromium } from '../shared/chromium.ts';
import { TEST_BUNDLES } from '../shared/dashboard-bundle.ts';
import { ProcessWorkspace } from '../shared/process-workspace.ts';
import { barriers, type Theme } from './axe.ts';
import { PATIENCE_MS, Rest } from './rest.ts';

/* A gateway with its dashboard in a real Chromium, and the people who use it. */

export const PASSWORD = 'correct horse battery';

/** Where the windows are, whatever the machine's own time zone is. */
const TIME_ZONE = 'Europe/Berlin';

/** Returns the month, such as `2026-11`, that a window shows for a time. It begins before the same month in UTC. */
export function monthAt(ms: number): string {
  return new Date(ms).toLocaleDateString('sv-SE', { timeZone: TIME_ZONE }).slice(0, 7);
}

export type Database = 'sqlite' | 'postgres';
export const DATABASES: readonly Database[] = ['sqlite', 'postgres'];

export interface SceneOptions {
  readonly database?: Database;
  /** The content of the configuration file. The sandbox's models exist without one. */
  readonly configuration?: object;
  readonly env?: Readonly<Record<string, string>>;
  /** Fills the SQLite database with this many requests of `switchyard demo` first. */
  readonly demoRequests?: number;
  /** Runs the gateway in its own process, for variables that the runtime reads at start. */
  readonly hasProcess?: boolean;
  /** The gateway's clock, if it runs in the test's process. */
  readonly clock?: Clock;
}

export interface Person {
  readonly email: string;
  /** Sends management requests as this person. */
  readonly script: Script;
}

export class DashboardScene {
  private readonly contexts: BrowserContext[] = [];

  private constructor(
    readonly space: Workspace,
    readonly serving: Serving,
    private readonly browser: Browser,
    private readonly database: Database,
    /** The output of `switchyard demo`. */
    private readonly demo: string,
  ) {}

  /** Starts a gateway. Nobody has joined yet. */
  static async open(options: SceneOptions = {}): Promise<DashboardScene> {
    const { database = 'sqlite', configuration, env = {}, demoRequests, hasProcess = false, clock } = options;
    const space = await (hasProcess ? ProcessWorkspace : Workspace).create();
    const demo = demoRequests === undefined ? '' : await filled(space, demoRequests);
    const postgres = database === 'postgres' ? await sharedTestPostgres() : null;
    const file = configuration && (await space.write('switchyard.yaml', configuration));
    const serving = await space.serve({
      env: {
        SWITCHYARD_DASHBOARD_BUNDLES: TEST_BUNDLES,
        ...(postgres && {
          DATABASE_URL: await postgres.createDatabase(),
          SWITCHYARD_SECRET: 'the secret of the scene',
        }),
        ...(file !== undefined && { SWITCHYARD_CONFIG: file }),
        ...env,
      },
      ...(clock !== undefined && { clock }),
    });
    return new DashboardScene(space, serving, await sharedChromium(), database, demo);
  }

  get origin(): string {
    // WebAuthn does not accept an IP address as the relying party's id.
    return `http://localhost:${this.serving.port}`;
  }

  /** Resolves to the one-time link that the first start printed. */
  async firstLink(): Promise<string> {
    const printed = /\/welcome#\w{40}/;
    await until('the sign-up link of the first operator is printed', () => printed.test(this.serving.stdout));
    return this.origin + (printed.exec(this.serving.stdout)?.[0] ?? '');
  }

  /** Joins as the first operator, who owns the account `default`. */
  async operator(email = 'op@example.com'): Promise<Person> {
    return this.join((await this.firstLink()).split('#')[1] ?? '', email);
  }

  /** Joins by the operator's invitation to an account, which is created if needed. */
  async member(operator: Person, account: string, role: 'owner' | 'member' | 'viewer'): Promise<Person> {
    const email = `${role}@${account}.example.com`;
    await operator.script.ask(0, 'POST /accounts', { id: account, balance_usd: '100' });
    const made = ok(await operator.script.ask(0, `POST /invitations?account_id=${account}`, { email, role }));
    return this.join(String(made.json.link).split('#')[1] ?? '', email);
  }

  /** Creates an account with an owner and a key. Resolves to the owner and the key's secret. */
  async ownerWithKey(operator: Person, account: string): Promise<{ readonly owner: Person; readonly key: string }> {
    const owner = await this.member(operator, account, 'owner');
    const made = ok(await operator.script.ask(0, `POST /keys?account_id=${account}`, { name: 'reader' }));
    return { owner, key: String(made.json.secret) };
  }

  private async join(token: string, email: string): Promise<Person> {
    const script = new Script([{ origin: this.origin }]);
    ok(
      await script.ask(0, 'POST /invitations/accept', { token, email, name: email.split('@')[0], password: PASSWORD }),
    );
    return this.signIn(email, PASSWORD);
  }

  /** Signs in the demo's operator and the owner of one of its accounts. */
  async demoPeople(): Promise<{ readonly operator: Person; readonly owner: Person }> {
    const [operator, owner] = [...this.demo.matchAll(/^ {2}(\S+@\S+)\n {2}(\S+)$/gm)];
    const [, operatorEmail = '', operatorPassword = ''] = operator ?? [];
    const [, ownerEmail = '', ownerPassword = ''] = owner ?? [];
    return {
      operator: await this.signIn(operatorEmail, operatorPassword),
      owner: await this.signIn(ownerEmail, ownerPassword),
    };
  }

  private async signIn(email: string, password: string): Promise<Person> {
    const script = new Script([{ origin: this.origin }]);
    ok(await script.ask(0, 'POST /auth/sign-in/email', { email, password }));
    return { email, script };
  }

  /** Opens a browser window, signed in as `person` if given. */
  async window(person?: Person, options: WindowOptions = {}): Promise<Window> {
    const { width = 1280, theme = 'light', locale = 'en-US', path: first = '/' } = options;
    const context = await this.browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: theme,
      locale,
      timezoneId: TIME_ZONE,
    });
    this.contexts.push(context);
    context.setDefaultTimeout(PATIENCE_MS);
    if (person) await context.addCookies(cookiesOf(person.script, this.origin));
    const page = await context.newPage();
    // One database is enough: pages look the same with both.
    const window = new Window(page, this.origin, this.database === 'sqlite');
    await page.goto(first.startsWith('http') ? first : this.origin + first);
    return window;
  }

  /** Closes a test's windows. An unattended page would keep drawing and sending requests. */
  async closeWindows(): Promise<void> {
    await Promise.all(this.contexts.splice(0).map((context) => context.close()));
  }

  async close(): Promise<void> {
    await this.closeWindows();
    await this.space.remove();
  }
}

export interface WindowOptions {
  readonly width?: number;
  readonly theme?: Theme;
  readonly locale?: string;
  /** A path at the gateway, or a full URL. */
  readonly path?: string;
}

/** A page and its hidden problems. */
export class Window {
  /** Script and console errors, violations of the content security policy, requests to other hosts. */
  readonly problems: string[] = [];
  private readonly rest: Rest;

  constructor(
    readonly page: Page,
    private readonly origin: string,
    private readonly takesAxe: boolean,
  ) {
    this.rest = new Rest(page);
    page.on('pageerror', (error) => this.problems.push(String(error)));
    page.on('console', (message) => {
      // Chromium logs each 4xx, which the page shows itself.
      const isRefusal = /status of 4\d\d/.test(message.text());
      if (message.type() === 'error' && !isRefusal) this.problems.push(message.text());
    });
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${origin}/`) && !/^(?:data|blob):/.test(url)) this.problems.push(`asked ${url}`);
    });
  }

  /** Loads a page of the dashboard as a new document. */
  async load(path: string): Promise<void> {
    await this.page.goto(this.origin + path);
  }

  /**
   * Shows a page as a new window would, but in the same document, for a third of the processor time of a load: leaves the dashboard's pages, removes
   * their notices, what the tab has stored and read, and the recorded problems, and opens the page.
   */
  async anew(path: string): Promise<void> {
    await this.fresh(path);
    this.problems.length = 0;
  }

  /** Does the same, but keeps the recorded problems. */
  async fresh(path: string): Promise<void> {
    // Notices disappear at once.
    await this.page.emulateMedia({ reducedMotion: 'reduce' });
    const hasForgotten = await this.page.evaluate<boolean>(FORGET);
    await this.page.emulateMedia({ reducedMotion: null });
    if (hasForgotten) await this.page.evaluate(moveTo(path));
    else await this.load(path);
  }

  /** Loads a page as a new document, clears what the tab has stored, and the recorded problems. */
  async loadAnew(path: string): Promise<void> {
    await this.page.evaluate('sessionStorage.clear()');
    await this.page.emulateMedia({ colorScheme: 'light', reducedMotion: null });
    await this.load(path);
    this.problems.length = 0;
  }

  /**
   * Navigates within the document as links do, for half the processor time of a load. Recently read data is shown from memory; use
   * `fresh` if others have changed it.
   */
  async go(path: string): Promise<void> {
    const { pathname } = new URL(path, this.origin);
    await this.page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
    await this.holds(`__TSR_ROUTER__.state.resolvedLocation?.pathname === '${pathname}'`);
    await this.settled();
  }

  /** Counts a person's clicks from now on, also over several documents. The Enter key counts as a click. */
  async countClicks(): Promise<{ readonly count: number }> {
    const clicks = { count: 0 };
    await this.page.exposeFunction('countClick', () => {
      clicks.count += 1;
    });
    await this.page.addInitScript(CLICKS);
    await this.page.evaluate(CLICKS);
    return clicks;
  }

  /** Waits until the page is complete and no longer moves. */
  async settled(): Promise<void> {
    await this.rest.reached();
  }

  /**
   * Expects no recorded problems, and no serious finding of axe in either theme. The page's present theme comes first, since a switch takes
   * 0.1 s of CPU time.
   */
  async expectSound(): Promise<void> {
    const isDark = await this.page.evaluate<boolean>(`document.documentElement.dataset.theme === 'dark'`);
    const themes: readonly Theme[] = isDark ? ['dark', 'light'] : ['light', 'dark'];
    for (const theme of this.takesAxe ? themes : []) {
      await this.wear(theme);
      expect({ theme, found: await this.axe(theme) }).toEqual({ theme, found: [] });
    }
    expect(await this.page.evaluate<string[]>(STRAY_SCROLLERS)).toEqual([]);
    expect(this.problems).toEqual([]);
  }

  /** Switches the system theme. Resolves when the page has applied it. */
  async wear(theme: Theme): Promise<void> {
    await this.page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await this.holds(`document.documentElement.dataset.theme === '${theme}'`);
  }

  /** Polls a condition from outside: the page's policy does not allow repeated evaluation inside it. */
  private async holds(expression: string): Promise<void> {
    await until(expression, () => this.page.evaluate<boolean>(expression));
  }

  /** Returns the serious and critical findings of axe, one per line. */
  private async axe(theme: Theme): Promise<string[]> {
    // During a colour transition the contrast is that of neither theme.
    await this.holds(RESTS);
    return barriers(this.page, theme);
  }
}

/** Runs in the page. A click on a label is followed by one on its field, so pointers are counted when they are pressed. */
const CLICKS = `addEventListener('pointerdown', () => countClick(), true);
addEventListener('keydown', ({ key }) => { if (key === 'Enter') countClick(); }, true);`;

/** Returns a script that navigates within the document, and resolves when the page is found. */
const moveTo = (path: string) => `new Promise((resolve) => {
  const stop = __TSR_ROUTER__.subscribe('onResolved', () => { stop(); resolve(); });
  history.pushState(null, '', ${JSON.stringify(path)});
})`;

/**
 * Runs in the page: shows an address without a page, which removes all others, closes the notices, and clears the answers, which React keeps in
 * the properties of a component near its root. Resolves to false if that is impossible, as on pages that are not the dashboard's.
 */
const FORGET = `(async () => {
  sessionStorage.clear();
  const root = document.getElementById('root');
  const name = Object.keys(root ?? {}).find((one) => one.startsWith('__reactContainer'));
  if (name === undefined || globalThis.__TSR_ROUTER__ === undefined) return false;
  await ${moveTo('/no-such-page')};
  const closers = () => [...document.querySelectorAll('body > :not(#root) button:last-child')];
  for (let frames = 0; closers().length > 0; frames++) {
    if (frames === 100) return false;
    closers().forEach((one) => one.click());
    await new Promise(requestAnimationFrame);
  }
  let one = root[name].stateNode.current;
  while (one !== null && one.memoizedProps?.client === undefined) one = one.child;
  if (one === null) return false;
  one.memoizedProps.client.clear();
  return true;
})()`;

/** Runs in the page: no animation is running. Scroll-linked animations always run and do not count. */
const RESTS = `document
  .getAnimations()
  .every(({ playState, timeline }) => playState !== 'running' || !(timeline instanceof DocumentTimeline))`;

/** Runs in the page: elements that scroll vertically by a few pixels, for which the browser shows a bar that nobody needs. */
const STRAY_SCROLLERS = `[...document.querySelectorAll('body *')]
  .filter((one) => ['auto', 'scroll'].includes(getComputedStyle(one).overflowY))
  .filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight && scrollHeight - clientHeight < 4)
  .map((one) => one.outerHTML.slice(0, 200))`;

async function filled(space: Workspace, requests: number): Promise<string> {
  const { exitCode, stdout, stderr } = await space.run(['demo', '--requests', String(requests)]);
  if (exitCode !== 0) throw new Error(stderr);
  return stdout;
}

function cookiesOf(script: Script, origin: string) {
  return script.cookie
    .split('; ')
    .filter((one) => one !== '')
    .map((one) => {
      const at = one.indexOf('=');
      return { name: one.slice(0, at), value: one.slice(at + 1), url: origin };
    });
}

/** Returns the response, or throws if it is not a success. */
export function ok(seen: Seen): Seen {
  if (seen.status >= 300) throw new Error(`${seen.status}: ${JSON.stringify(seen.json)}`);
  return seen;
}
