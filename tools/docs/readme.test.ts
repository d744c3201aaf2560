import { expect, test } from 'bun:test';
import path from 'node:path';
import { operationWires } from '../../src/formats/index.ts';
import { providers } from '../../src/providers/index.ts';
import { errorsPage } from './errors.ts';

/* The README is the first page that a stranger reads: it stays short, and its numbers stay true. */

const readme = await Bun.file(path.join(import.meta.dir, '..', '..', 'README.md')).text();

test('the README has fewer than 600 words', () => {
  expect(readme.split(/\s+/).filter((word) => word !== '').length).toBeLessThan(600);
});

test('the README states the number of video providers', () => {
  const count = [...providers.values()].filter(
    ({ name, wires = [] }) =>
      !['sandbox', 'openai-compatible'].includes(name) &&
      wires.some(({ wire }) => operationWires.get(wire)?.operations.includes('videos.generations')),
  ).length;
  expect(readme).toContain(`${count} video providers`);
});

test('the README states the number of error codes', async () => {
  const page = await errorsPage();
  const codes = page.slice(page.indexOf('## The codes'), page.indexOf('## Types in')).match(/^\| \d{3}/gm) ?? [];
  expect(readme).toContain(`[${codes.length} codes]`);
});

test('the README shows the ratios of the benchmark that bench/README.md records', async () => {
  const bench = await Bun.file(path.join(import.meta.dir, '..', '..', 'bench', 'README.md')).text();
  const recorded = rowsOf(bench, /^## Other gateways$/m).map((cells) => [cells[0], cells[2], cells[4]]);
  const shown = rowsOf(readme, /^## What a request costs$/m).map(([server, request, stream]) => [
    server?.split(',')[0]?.replace(/^(\*\*\w+\*\*).*/, '$1'),
    request,
    stream,
  ]);
  expect(shown.length).toBeGreaterThan(2);
  for (const row of shown) expect(recorded).toContainEqual(row);
});

/** Returns the cells of the first table after a heading, without its two rows of titles. */
function rowsOf(page: string, heading: RegExp): string[][] {
  const after = page.slice(page.search(heading)).split('\n');
  const begin = after.findIndex((line) => line.startsWith('|---'));
  const rows = after.slice(begin + 1);
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}
