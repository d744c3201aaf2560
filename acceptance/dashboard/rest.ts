import type { Page, Request } from 'playwright-core';

/** Marked with `data-waiting`: what stands in the place of data that are on their way. */
const STATE = `({
  address: location.href,
  waiting: document.querySelectorAll('[data-waiting], [aria-busy="true"]').length,
  moving: document.getAnimations().filter((one) => one.playState === 'running' && Number.isFinite(one.effect?.getComputedTiming().endTime)).length,
  pictures: [...document.images].filter((one) => !one.complete && one.loading !== 'lazy').length,
  words: document.body.innerText,
})`;

interface State {
  readonly address: string;
  readonly waiting: number;
  readonly moving: number;
  readonly pictures: number;
  readonly words: string;
}

const PAUSE_MS = 120;

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

  /** Two looks in a row find nothing on its way, and the same words. */
  async reached(patienceMs: number): Promise<void> {
    const deadline = performance.now() + patienceMs;
    let before: string | null = null;
    for (;;) {
      const state = await this.page.evaluate<State>(STATE);
      const { address, waiting, moving, pictures, words } = state;
      const isQuiet = this.open.size === 0 && waiting + moving + pictures === 0 && words.trim() !== '';
      const now = isQuiet ? `${address}\n${words}` : null;
      if (now !== null && now === before) return;
      before = now;
      if (performance.now() > deadline) {
        const asked = [...this.open].map((request) => request.url());
        throw new Error(
          `the page does not come to rest: ${JSON.stringify({ ...state, words: words.slice(0, 200), asked })}`,
        );
      }
      await Bun.sleep(PAUSE_MS);
    }
  }
}
