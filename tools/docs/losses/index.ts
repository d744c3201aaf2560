import { clientPage } from './client-page.ts';
import { entryPage } from './entry-page.ts';
import { clients } from './fates.ts';
import { providerPage } from './provider-page.ts';
import { targetPage } from './target-page.ts';

/** The pages on losses in translation: the entry page, a page per client format and two pages with reasons. Names are relative to docs. */
export const LOSSES_PAGES: readonly { readonly name: string; make(): string }[] = [
  { name: 'losses.md', make: entryPage },
  ...clients().map((client) => ({ name: `losses/${client.name}.md`, make: () => clientPage(client) })),
  { name: 'losses/targets.md', make: targetPage },
  { name: 'losses/providers.md', make: providerPage },
];
