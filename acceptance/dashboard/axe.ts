import type { RunOnly } from 'axe-core';
import type { Page } from 'playwright-core';

/** The rules that axe runs in each theme: all of them in light; in dark, which has the same markup, only those about colours. */
const RULES = {
  light: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] },
  dark: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
} satisfies Record<string, RunOnly>;
export type Theme = keyof typeof RULES;

/** A page takes half of the time to read the minified one. */
const AXE = await Bun.file(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir)).text();

/** Within the page, of what axe has answered. */
const SERIOUS = `({ violations }) =>
  violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 160) + ' ' + failureSummary))`;

/** Returns the serious and critical violations that axe finds in the page as it is shown now, a line each. */
export async function barriers(page: Page, theme: Theme): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  // All that it finds nothing wrong with is as much again to gather, and to carry over here.
  const options = { runOnly: RULES[theme], resultTypes: ['violations'] };
  return page.evaluate<string[]>(`axe.run(document, ${JSON.stringify(options)}).then(${SERIOUS})`);
}
