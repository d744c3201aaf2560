import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DashboardScene, ok, type Person, type Window } from '../../acceptance/dashboard/scene.ts';
import { until } from '../../conformance/shared/until.ts';
import { type Options, parseOptions, USAGE } from './options.ts';
import { chosenViews, type View, type Who } from './views.ts';

/* Screenshots of the dashboard's views, in each theme and width: `npm run screenshots -- --help`. */

const HEIGHT = 900;
/** For views that scroll within themselves, such as a sheet beside the page. */
const TALL = 1_500;
/** Long tables are cut off at this height. */
const MOST_HEIGHT = 2_400;
/** How long to wait before the screenshot of a page whose requests get no answer. */
const WAITED_MS = 500;

class Gallery {
  private demo: Promise<DashboardScene> | undefined;
  private fresh: Promise<DashboardScene> | undefined;
  private readonly people = new Map<Who, Promise<Person | undefined>>();

  constructor(private readonly options: Options) {}

  private scene(who: Who): Promise<DashboardScene> {
    if (who === 'fresh-operator' || who === 'nobody') {
      this.fresh ??= DashboardScene.open();
      return this.fresh;
    }
    this.demo ??= DashboardScene.open({ demoRequests: this.options.requests });
    return this.demo;
  }

  private person(who: Who): Promise<Person | undefined> {
    const known = this.people.get(who);
    if (known !== undefined) return known;
    const found = this.find(who);
    this.people.set(who, found);
    return found;
  }

  private async find(who: Who): Promise<Person | undefined> {
    if (who === 'nobody') return undefined;
    const scene = await this.scene(who);
    if (who === 'fresh-operator') return scene.operator();
    const { operator, owner } = await scene.demoPeople();
    this.people.set('demo-operator', Promise.resolve(operator));
    this.people.set('demo-owner', Promise.resolve(owner));
    return who === 'demo-operator' ? operator : owner;
  }

  /** Takes one view at one width, in all themes. */
  async take(view: View, width: number): Promise<void> {
    const { themes, locale } = this.options;
    const person = await this.person(view.who);
    const scene = await this.scene(view.who);
    const path = await pathOf(view, person);
    const window = await scene.window(person, { width, locale, path: view.answers === undefined ? path : '/app/me' });
    const { page } = window;
    try {
      if (view.answers !== undefined) await disturb(window, path, view.answers);
      await this.prepare(view, window, width);
      for (const theme of themes) {
        await window.wear(theme);
        await restOf(view, window);
        const height = await page.evaluate<number>('document.documentElement.scrollHeight');
        const clip = { x: 0, y: 0, width, height: Math.min(height, isTall(view) ? TALL : MOST_HEIGHT) };
        await page.screenshot({ path: this.fileOf(view, theme, width), fullPage: true, clip });
      }
      if (view.answers === undefined) for (const problem of window.problems) console.error(`${view.name}: ${problem}`);
    } finally {
      await page.context().close();
    }
  }

  private async prepare(view: View, window: Window, width: number): Promise<void> {
    const { page } = window;
    const { language } = this.options;
    await page.setViewportSize({ width, height: isTall(view) ? TALL : HEIGHT });
    await restOf(view, window);
    for (const { label, text } of view.fill ?? [])
      await page.getByRole('textbox', { name: label[language] }).first().fill(text);
    if (view.press !== undefined) {
      await page.getByRole('button', { name: view.press[language], exact: true }).first().click();
      if (view.until !== undefined) await page.getByText(view.until[language]).first().waitFor();
      await restOf(view, window);
    }
    // A long table only renders the rows that are visible in the window.
    const height = await page.evaluate<number>('document.documentElement.scrollHeight');
    if (isTall(view) || height <= HEIGHT) return;
    await page.setViewportSize({ width, height: Math.min(height, MOST_HEIGHT) });
    await restOf(view, window);
  }

  private fileOf({ name }: View, theme: string, width: number): string {
    const { out, language } = this.options;
    return path.join(out, `${name.replaceAll('/', '-')}.${language}.${theme}.${width}.png`);
  }

  async close(): Promise<void> {
    for (const scene of [await this.demo, await this.fresh]) await scene?.close();
  }
}

/** Loads a page whose requests get no answer, or an error, except those about the signed-in person. */
async function disturb(window: Window, path: string, answers: 'late' | 'failed'): Promise<void> {
  await window.page.route('**/v1/management/**', (route) => {
    if (/management\/(?:me|auth|sign-in-options)\b/.test(route.request().url())) return route.continue();
    if (answers === 'late') return undefined;
    const error = { message: 'The database is locked.', type: 'api_error', code: 'internal_error', param: null };
    return route.fulfill({ status: 500, headers: { 'x-request-id': 'req_0' }, json: { error } });
  });
  await window.load(path);
}

/** Runs in the page: whether every chart is drawn. After a change of the window's size it is measured first. */
const DRAWN = `[...document.querySelectorAll('.recharts-responsive-container')].every((one) => one.querySelector('svg'))`;

async function restOf({ answers }: View, window: Window): Promise<void> {
  if (answers !== 'late') {
    await window.settled();
    await until('every chart is drawn', () => window.page.evaluate<boolean>(DRAWN));
    return;
  }
  await window.page.locator('main').waitFor();
  await Bun.sleep(WAITED_MS);
}

function isTall({ press, path }: View): boolean {
  return press !== undefined || path.includes('?');
}

async function pathOf({ path: template, idOf }: View, person: Person | undefined): Promise<string> {
  if (idOf === undefined) return template;
  // A page of the request log may be empty although more follow.
  for (let after = ''; ; ) {
    const { json } = ok((await person?.script.ask(0, `GET ${idOf}${after}`)) ?? never());
    const [first] = json.data as readonly { readonly id: unknown }[];
    if (first !== undefined) return template.replace('{one}', encodeURIComponent(String(first.id)));
    if (typeof json.next !== 'string') throw new Error(`${idOf} returned an empty list`);
    after = `${idOf.includes('?') ? '&' : '?'}after=${encodeURIComponent(json.next)}`;
  }
}

function never(): never {
  throw new Error('This view needs a signed-in person.');
}

async function takeAll(options: Options, views: readonly View[]): Promise<number> {
  mkdirSync(options.out, { recursive: true });
  const gallery = new Gallery(options);
  let failures = 0;
  try {
    for (const view of views) {
      for (const width of options.widths) {
        const said = await gallery.take(view, width).then(
          () => '',
          (error) => String(error),
        );
        if (said !== '') failures++;
        console.log(`${view.name} ${width}${said === '' ? '' : `: ${said}`}`);
      }
    }
  } finally {
    await gallery.close();
  }
  return failures;
}

const options = parseOptions(process.argv.slice(2));
const views = chosenViews(options.views);
if (options.isHelp) console.log(USAGE);
else if (options.isList) console.log(views.map(({ name }) => name).join('\n'));
else if (views.length === 0) throw new Error('no such view; use --list to see all');
else process.exit((await takeAll(options, views)) === 0 ? 0 : 1);
