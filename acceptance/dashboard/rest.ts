import type { Page, Request } from 'playwright-core';

/** Within the page: what is on its way. What stands in the place of data that are is marked with `data-waiting`. */
const UNREST = `({
  waiting: document.querySelectorAll('[data-waiting], [aria-busy="true"]').length,
  moving: document.getAnimations().filter((one) => one.playState === 'running' && Number.isFinite(one.effect?.getComputedTiming().endTime)).length,
  pictures: [...document.images].filter((one) => !one.complete && one.loading !== 'lazy').length,
})`;

/** Within the page: what it shows. */
const WORDS = 'document.body.innerText';

/**
 * Within the page: resolves when it has done all that it has to do now, and has drawn a frame. Where each frame takes so long that a page
 * is never idle, the time limit stands for that.
 */
const IDLE = `new Promise((resolve) => {
  const whenIdle = (next) => requestIdleCallback(next, { timeout: 500 });
  whenIdle(() => requestAnimationFrame(() => whenIdle(() => resolve())));
})`;

interface Unrest {
  readonly waiting: number;
  readonly moving: number;
  readonly pictures: number;
}

/** For a page, or what is in it. It only ends what would never come to an end. */
export const PATIENCE_MS = 60_000;
/** Between two looks at what is on its way. */
const PAUSE_MS = 20;

/** Tells when a page has got all that it asked for, has drawn it and stands still. */
export class Rest {
  private readonly open = new Set<Request>();

  constructor(private readonly page: Page) {
    page.on('request', (request) => void this.open.add(request));
    page.on('requestfinished', (request) => void this.open.delete(request));
    page.on('requestfailed', (request) => void this.open.delete(request));
    page.on('response', (answer) => {
      // A live view, which never ends.
      if (answer.headers()['content-type']?.startsWith('text/event-stream')) this.open.delete(answer.request());
    });
    // Those of the page before get no end.
    page.on('framenavigated', (frame) => {
      if (frame !== page.mainFrame()) return;
      for (const request of this.open) if (request.isNavigationRequest()) this.open.delete(request);
    });
  }

  /**
   * Waits until nothing is on its way, and the page shows the same before and after it has been idle. It is the page that says when it
   * is idle, however slow the machine is.
   */
  async reached(): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    let before: string | null = null;
    for (;;) {
      const unrest = await this.page.evaluate<Unrest>(UNREST);
      const { waiting, moving, pictures } = unrest;
      const isQuiet = this.open.size === 0 && waiting + moving + pictures === 0;
      const words = isQuiet ? await this.page.evaluate<string>(`location.href + '\\n' + ${WORDS}.trim()`) : null;
      const isEmpty = words === null || words.indexOf('\n') === words.length - 1;
      if (!isEmpty && words === before) return;
      before = words;
      if (performance.now() > deadline) throw new Error(await this.report(unrest));
      if (isEmpty) await Bun.sleep(PAUSE_MS);
      // A page that is left meanwhile is looked at anew.
      else await this.page.evaluate(IDLE).catch(() => undefined);
    }
  }

  private async report(unrest: Unrest): Promise<string> {
    const [address, words] = await this.page.evaluate<[string, string]>(`[location.href, ${WORDS}.slice(0, 200)]`);
    const asked = [...this.open].map((request) => request.url());
    return `the page does not come to rest: ${JSON.stringify({ ...unrest, address, words, asked })}`;
  }
}
