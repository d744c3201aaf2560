import path from 'node:path';
import { lossesPage } from './losses.ts';

/** The pages that are made from code, and where they lie. */
export const PAGES: readonly { readonly file: string; make(): string }[] = [
  { file: path.join(import.meta.dir, '..', '..', 'docs', 'losses.md'), make: lossesPage },
];

if (import.meta.main) {
  for (const { file, make } of PAGES) await Bun.write(file, make());
}
