import path from 'node:path';
import { operationWires } from '../../src/formats/index.ts';
import { providers } from '../../src/providers/index.ts';
import type { ProviderManifest } from '../../src/providers/manifest.ts';

/* README.md is written by hand, except for its table of providers and operations, which follows from the manifests. */

const BEGIN = '<!-- providers -->';
const END = '<!-- end of providers -->';

/** The columns, each with the operations of the wires that it covers. */
const COLUMNS: readonly (readonly [title: string, operations: readonly string[]])[] = [
  ['text', ['text']],
  ['embed', ['embeddings']],
  ['rerank', ['rerank']],
  ['image', ['images.generations', 'images.edits']],
  ['speech', ['audio.speech']],
  ['transcribe', ['audio.transcriptions', 'audio.translations']],
  ['video', ['videos.generations']],
  ['music', ['music.generations']],
  ['3D', ['3d.generations']],
  ['moderate', ['moderations']],
  ['search', ['search']],
];

/** Returns the cells of a provider's row, one per column. Throws if the provider has an operation that no column covers. */
function cellsOf({ name, formats, wires = [] }: ProviderManifest): string {
  const operations = new Set(wires.flatMap(({ wire }) => operationWires.get(wire)?.operations ?? []) as string[]);
  if (formats.length > 0) operations.add('text');
  const covered = new Set(COLUMNS.flatMap(([, covers]) => covers));
  const uncovered = [...operations].filter((operation) => !covered.has(operation));
  if (uncovered.length > 0) throw new Error(`no README column covers ${uncovered.join(', ')} of ${name}`);
  return COLUMNS.map(([, covers]) => (covers.some((operation) => operations.has(operation)) ? '✓' : '')).join('|');
}

/** Returns the rows of the table. Providers with the same operations share a row; those with the most come first. */
function rows(): string[] {
  const sorted = [...providers.values()]
    .filter(({ name }) => name !== 'sandbox')
    .sort((a, b) => a.label.localeCompare(b.label));
  const groups = Map.groupBy(sorted, cellsOf);
  const count = (cells: string) => cells.split('✓').length;
  return [...groups]
    .sort(([a], [b]) => count(b) - count(a))
    .map(([cells, same]) => `|${same.map(({ label }) => label).join(', ')}|${cells}|`);
}

/** Returns README.md as it is, with the table generated anew. */
export async function readmePage(): Promise<string> {
  const page = await Bun.file(path.join(import.meta.dir, '..', '..', 'README.md')).text();
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`README.md lacks the markers of its provider table: ${BEGIN} … ${END}`);
  const titles = COLUMNS.map(([title]) => title).join('|');
  const table = ['', '', `|provider|${titles}|`, `|---|${':-:|'.repeat(COLUMNS.length)}`, ...rows(), '', ''].join('\n');
  return page.slice(0, begin + BEGIN.length) + table + page.slice(end);
}
