import { didYouMean } from '../../../engine/admin/schema/shape-problems.ts';
import type { Providers } from '../../../providers/manifest.ts';
import { CommandError } from '../command-error.ts';

/** Throws `CommandError` for an unknown provider. */
export function checkProvider(providers: Providers, provider: string | undefined): void {
  if (provider === undefined || providers.has(provider)) return;
  const hint = didYouMean(provider, [...providers.keys()]);
  throw new CommandError(`--provider: unknown provider "${provider.slice(0, 100)}"${hint}`, 2);
}
