import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DashboardScene, ok, type Person, type Window } from '../../conformance/dashboard/scene.ts';
import { type Options, parseOptions, USAGE } from './options.ts';
import { chosenViews, type View, type Who } from './views.ts';

/* Pictures of the dashboard's views, in each theme and width: `npm run screenshots -- --help`. */

const HEIGHT = 900;
/** For what scrolls within itself, such as a sheet beside the page. */
const TALL = 1_500;
/** Of a long table a picture has its beginning. */
const MOST_HEIGHT = 2_400;

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

  /** One view at one width, in all themes. */
  async take(view: View, width: number): Promise<void> {
    const { themes, locale } = this.options;
    const person = await this.person(view.who);
    const scene = await this.scene(view.who);
    const window = await scene.window(person, { width, locale, path: await pathOf(view, person) });
    const { page } = window;
    try {
      await this.prepare(view, window, width);
      for (const theme of themes) {
        await window.wear(theme);
        await window.settled();
        const height = await page.evaluate<number>('document.documentElement.scrollHeight');
        const clip = { x: 0, y: 0, width, height: Math.min(height, isTall(view) ? TALL : MOST_HEIGHT) };
        await page.screenshot({ path: this.fileOf(view, theme, width), fullPage: true, clip });
      }
      for (const problem of window.problems) console.error(`${view.name}: ${problem}`);
    } finally {
      await page.context().close();
    }
  }

  private async prepare(view: View, window: Window, width: number): Promise<void> {
    const { page } = window;
    await page.setViewportSize({ width, height: isTall(view) ? TALL : HEIGHT });
    await window.settled();
    if (view.press === undefined) return;
    const name = view.press[this.options.language];
    await page.getByRole('button', { name, exact: true }).first().click();
    await window.settled();
  }

  private fileOf({ name }: View, theme: string, width: number): string {
    const { out, language } = this.options;
    return path.join(out, `${name.replaceAll('/', '-')}.${language}.${theme}.${width}.png`);
  }

  async close(): Promise<void> {
    for (const scene of [await this.demo, await this.fresh]) await scene?.close();
  }
}

function isTall({ press, path }: View): boolean {
  return press !== undefined || path.includes('?');
}

async function pathOf({ path: template, idOf }: View, person: Person | undefined): Promise<string> {
  if (idOf === undefined) return template;
  const { json } = ok((await person?.script.ask(0, `GET ${idOf}`)) ?? never());
  const [first] = json.data as readonly { readonly id: unknown }[];
  if (first === undefined) throw new Error(`${idOf} has nothing`);
  return template.replace('{one}', encodeURIComponent(String(first.id)));
}

function never(): never {
  throw new Error('Nobody may ask for lists.');
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
else if (views.length === 0) throw new Error('no such view; --list tells which there are');
else process.exit((await takeAll(options, views)) === 0 ? 0 : 1);
