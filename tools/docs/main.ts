import path from 'node:path';
import { clientTypes } from './client-types.ts';
import { errorsPage } from './errors.ts';
import { governedPage } from './governed.ts';
import { LOSSES_PAGES } from './losses/index.ts';
import { managementPage } from './management.ts';
import { providerRulesPage } from './provider-rules.ts';
import { providersPage } from './providers.ts';
import { readmePage } from './readme.ts';
import { securityPage } from './security.ts';

export const docsFolder = path.join(import.meta.dir, '..', '..', 'docs');

/** The pages, and the one module, that are made from code, by their paths from docs. */
export const PAGES: readonly { readonly name: string; make(): string | Promise<string> }[] = [
  { name: '../README.md', make: readmePage },
  { name: '../dashboard/api/schema.ts', make: clientTypes },
  { name: 'errors.md', make: errorsPage },
  { name: 'governed-members.md', make: governedPage },
  ...LOSSES_PAGES,
  { name: 'management.md', make: managementPage },
  { name: 'provider-rules.md', make: providerRulesPage },
  { name: 'providers.md', make: providersPage },
  { name: 'security.md', make: securityPage },
];

if (import.meta.main) {
  for (const { name, make } of PAGES) await Bun.write(path.join(docsFolder, name), await make());
}
