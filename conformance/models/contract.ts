import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The sections of the contract that the tests spell out word for word. */
const SECTIONS = path.join(import.meta.dir, 'contract-sections.md');

/** Returns the text between a heading of the contract, or of another text, and the next heading. */
export function sectionOfContract(heading: string, text = readFileSync(SECTIONS, 'utf8')): string {
  const start = text.indexOf(`\n${heading}\n`);
  if (start < 0) throw new Error(`the contract has no heading ${JSON.stringify(heading)}`);
  const rest = text.slice(start + heading.length + 2);
  const end = rest.search(/^#+ /m);
  return (end < 0 ? rest : rest.slice(0, end)).trimEnd();
}

/** The headings of those sections. */
export function contractHeadings(): readonly string[] {
  return [...readFileSync(SECTIONS, 'utf8').matchAll(/^##+ .*$/gm)].map(([heading]) => heading);
}

/**
 * Returns the rows of the `index`th table below a heading, as cells; the first cell without its backticks.
 */
export function tableOfContract(heading: string, index = 0): string[][] {
  const tables = sectionOfContract(heading)
    .split('\n\n')
    .filter((block) => block.trimStart().startsWith('|'));
  const [_names, _rule, ...rows] = (tables[index] ?? '').trim().split('\n');
  return rows.map((row) => {
    const cells = row.slice(1, -1).split('|');
    return cells.map((cell, column) => (column === 0 ? cell.trim().replaceAll('`', '') : cell.trim()));
  });
}

/** Returns the names in backticks in a sentence of the contract. */
export function namesIn(sentence: string): string[] {
  return [...sentence.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}
