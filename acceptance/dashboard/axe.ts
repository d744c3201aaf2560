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

/** The looks of texts whose contrast axe has passed, in any page of this process. */
const passed = new Set<string>();

/**
 * Runs once in the page: judges the contrast of only one of the texts that have the same colours, size and weight on the same backgrounds, and
 * of none that looks like one of `known`. A text counts for others only if axe has passed it; one that axe cannot judge, such as a single letter
 * or a text on a picture, does not. All rules then take two thirds of the time in the light theme, and 40 % in the dark one. Sets `looksPassed`,
 * which returns the looks that have passed since it was last called.
 */
const ONE_TEXT_OF_A_LOOK = (known: Iterable<string>) => `(() => {
  const passed = new Set(${JSON.stringify([...known])});
  let fresh = [];
  let grounds = new WeakMap();
  // The styles by which an element and those around it change the background of its texts; most have none.
  const ground = (element) => {
    if (element === null) return '';
    if (grounds.has(element)) return grounds.get(element);
    const { backgroundColor, backgroundImage, opacity, filter, mixBlendMode, position, zIndex, transform } = getComputedStyle(element);
    const own = [backgroundColor, backgroundImage, opacity, filter, mixBlendMode, position, zIndex, transform].join();
    const around = ground(element.parentElement);
    const all = own === 'rgba(0, 0, 0, 0),none,1,none,normal,static,auto,none' ? around : around + '/' + own;
    grounds.set(element, all);
    return all;
  };
  const look = (element) => {
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element);
    return [color, fontSize, fontWeight, textShadow].join() + ground(element);
  };
  const hasText = (element) =>
    /^(INPUT|SELECT|TEXTAREA)$/.test(element.tagName) ||
    [...element.childNodes].some(({ nodeType, nodeValue }) => nodeType === Node.TEXT_NODE && nodeValue.trim() !== '');
  const rule = axe._audit.rules.find(({ id }) => id === 'color-contrast');
  const check = axe._audit.checks['color-contrast'];
  const { matches } = rule;
  const { evaluate } = check;
  rule.matches = function (element, ...rest) {
    return hasText(element) && !passed.has(look(element)) && matches.call(this, element, ...rest);
  };
  check.evaluate = function (element, ...rest) {
    const one = look(element);
    if (passed.has(one)) return true;
    const result = evaluate.call(this, element, ...rest);
    if (result === true) {
      passed.add(one);
      fresh.push(one);
    }
    return result;
  };
  globalThis.looksPassed = () => {
    const looks = fresh;
    fresh = [];
    grounds = new WeakMap();
    return looks;
  };
})()`;

/** Returns the serious and critical violations that axe finds in the page now, one per line. */
export async function barriers(page: Page, theme: Theme): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) {
    await page.evaluate(AXE);
    await page.evaluate(ONE_TEXT_OF_A_LOOK(passed));
  }
  // Passed checks and selectors are not collected: they would double the work and the transfer.
  const options = JSON.stringify({ runOnly: RULES[theme], resultTypes: ['violations'], selectors: false });
  const { found, looks } = await page.evaluate<{ readonly found: string[]; readonly looks: readonly string[] }>(
    `axe.run(document, { ...${options}, rules: ${LESSER_RULES_OFF} })
      .then(${SERIOUS})
      .then((found) => ({ found, looks: looksPassed() }))`,
  );
  for (const look of looks) passed.add(look);
  return found;
}
