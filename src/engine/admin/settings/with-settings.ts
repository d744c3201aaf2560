import type { SettingSections } from '../../ports/settings-store.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { fileSchema, settingsFrom } from '../schema/configuration-file.ts';
import { layered } from './leaves.ts';

/**
 * Returns the configuration that a gateway starts with: this file, if there is one, over what was set over the API. Throws a `ZodError` if
 * the two are inconsistent.
 */
export function withSettings(configuration: Configuration | null, stored: SettingSections): Configuration {
  const written = configuration?.written ?? {};
  const names = new Set([...Object.keys(stored), ...Object.keys(written)]);
  const both = Object.fromEntries([...names].map((name) => [name, layered(stored[name] ?? {}, written[name] ?? {})]));
  const nothing = { path: null, written, channels: [], models: [], accounts: [], sandbox: null };
  return { ...(configuration ?? nothing), ...settingsFrom(fileSchema.parse(both)) };
}
