import path from 'node:path';
import { errorsPage } from './errors.ts';
import { governedPage } from './governed.ts';
import { lossesPage } from './losses.ts';
import { providersPage } from './providers.ts';

const docs = path.join(import.meta.dir, '..', '..', 'docs');

/** The pages that are made from code, and where they lie. */
export const PAGES: readonly { readonly file: string; make(): string }[] = [
  { file: path.join(docs, 'errors.md'), make: errorsPage },
  { file: path.join(docs, 'governed-members.md'), make: governedPage },
  { file: path.join(docs, 'losses.md'), make: lossesPage },
  { file: path.join(docs, 'providers.md'), make: providersPage },
];

if (import.meta.main) {
  for (const { file, make } of PAGES) await Bun.write(file, make());
}
