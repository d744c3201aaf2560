import type { Page } from 'playwright-core';

/* Facts about a table that are evaluated in the page. */

const tableNamed = (name: string) => `document.querySelector('[role=table][aria-label="${name}"]')`;

/** Resolves to the texts of a column, given by its header. */
export async function columnOf(page: Page, table: string, header: string): Promise<readonly string[]> {
  return await page.evaluate<string[]>(`(() => {
    const table = ${tableNamed(table)};
    const heads = [...table.querySelectorAll('[role=columnheader]')].map((one) => one.textContent);
    const at = heads.indexOf(${JSON.stringify(header)});
    return [...table.querySelectorAll('[role=rowgroup] [role=row]')].map((row) => row.children[at]?.textContent ?? '');
  })()`);
}

/** Resolves to how many pixels wider the table's columns are than its place on the page. */
export async function pixelsBeyond(page: Page, table: string): Promise<number> {
  const frame = `${tableNamed(table)}.parentElement`;
  return await page.evaluate<number>(`${frame}.scrollWidth - ${frame}.clientWidth`);
}

/** Resolves to the number of times in the table that their cells cut off. */
export async function cutTimes(page: Page, table: string): Promise<number> {
  return await page.evaluate<number>(`[...${tableNamed(table)}.querySelectorAll('time')]
    .map((one) => one.closest('[role=cell]'))
    .filter((cell) => cell.scrollWidth > cell.clientWidth).length`);
}
