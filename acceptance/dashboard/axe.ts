import type { RunOnly } from 'axe-core';
import type { Page } from 'playwright-core';

/** The axe rules for each theme. Dark has the same markup as light, so only the colour rules run. */
const RULES = {
  light: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] },
  dark: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
} satisfies Record<string, RunOnly>;
export type Theme = keyof typeof RULES;

/** A page takes half the time to read the minified build. */
const AXE = await Bun.file(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir)).text();

/** Runs in the page on the results of axe. */
const SERIOUS = `({ violations }) =>
  violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 160) + ' ' + failureSummary))`;

/** Returns the serious and critical violations that axe finds in the page now, one per line. */
export async function barriers(page: Page, theme: Theme): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  // Passed checks are not collected: they would double the work and the transfer.
  const options = { runOnly: RULES[theme], resultTypes: ['violations'] };
  return page.evaluate<string[]>(`axe.run(document, ${JSON.stringify(options)}).then(${SERIOUS})`);
}
