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

/**
 * Runs in the page: the rules that axe never rates as serious or critical, switched off. A sixth to a quarter of the time of all rules. Throws if
 * axe no longer has the ratings.
 */
const LESSER_RULES_OFF = `Object.fromEntries(axe._audit.rules
  .filter(({ impact }) => impact === 'minor' || impact === 'moderate')
  .map(({ id }) => [id, { enabled: false }]))`;

/** Returns the serious and critical violations that axe finds in the page now, one per line. */
export async function barriers(page: Page, theme: Theme): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  // Passed checks and selectors are not collected: they would double the work and the transfer.
  const options = JSON.stringify({ runOnly: RULES[theme], resultTypes: ['violations'], selectors: false });
  return page.evaluate<string[]>(`axe.run(document, { ...${options}, rules: ${LESSER_RULES_OFF} }).then(${SERIOUS})`);
}
