import { didYouMean } from '../../../engine/admin/schema/closest.ts';
import { CommandError } from '../command-error.ts';
import type { CommandLineDependencies } from '../context.ts';

/** Throws `CommandError` for a provider that the product does not know. */
export function checkProvider(providers: CommandLineDependencies['providers'], provider: string | undefined): void {
  if (provider === undefined || providers.has(provider)) return;
  const hint = didYouMean(provider, [...providers.keys()]);
  throw new CommandError(`--provider: there is no provider "${provider.slice(0, 100)}"${hint}`, 2);
}
