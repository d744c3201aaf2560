import type { Page, Request } from 'playwright-core';

/** Runs in the page: counts what is still loading or moving. Placeholders for data are marked with `data-waiting`. */
const UNREST = `({
  waiting: document.querySelectorAll('[data-waiting], [aria-busy="true"]').length,
  moving: document.getAnimations().filter((one) => one.playState === 'running' && Number.isFinite(one.effect?.getComputedTiming().endTime)).length,
  pictures: [...document.images].filter((one) => !one.complete && one.loading !== 'lazy').length,
})`;

/** Runs in the page: the visible text. */
const WORDS = 'document.body.innerText';

/**
 * Runs in the page: resolves when it is idle and has drawn a frame. The time limit covers pages whose frames are too slow to ever be idle.
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

/** A time limit for a page or an element. It only ends a test that would hang. */
export const PATIENCE_MS = 300_000;
/** Between two checks. */
const PAUSE_MS = 20;

/** Detects when a page has received all it requested, has drawn it, and no longer moves. */
export class Rest {
  private readonly open = new Set<Request>();

  constructor(private readonly page: Page) {
    page.on('request', (request) => void this.open.add(request));
    page.on('requestfinished', (request) => void this.open.delete(request));
    page.on('requestfailed', (request) => void this.open.delete(request));
    page.on('response', (answer) => {
      // A live view is never finished.
      if (answer.headers()['content-type']?.startsWith('text/event-stream')) this.open.delete(answer.request());
    });
    // Requests of the previous page get no end event.
    page.on('framenavigated', (frame) => {
      if (frame !== page.mainFrame()) return;
      for (const request of this.open) if (request.isNavigationRequest()) this.open.delete(request);
    });
  }

  /**
   * Waits until nothing is in flight and the text is the same before and after the page was idle. The page itself reports idleness, so the
   * speed of the machine does not matter.
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
      // A page that navigates meanwhile is checked again.
      else await this.page.evaluate(IDLE).catch(() => undefined);
    }
  }

  private async report(unrest: Unrest): Promise<string> {
    const [address, words] = await this.page.evaluate<[string, string]>(`[location.href, ${WORDS}.slice(0, 200)]`);
    const asked = [...this.open].map((request) => request.url());
    return `the page does not come to rest: ${JSON.stringify({ ...unrest, address, words, asked })}`;
  }
}
