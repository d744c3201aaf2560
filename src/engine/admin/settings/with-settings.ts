import type { SettingSections } from '../../ports/settings-store.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { fileSchema, settingsFrom } from '../schema/configuration-file.ts';
import { layered } from './leaves.ts';

/**
 * What a gateway starts with: this file, or none, and below it what was set over the API. Throws a `ZodError` where the two do not hold
 * together.
 */
export function withSettings(configuration: Configuration | null, stored: SettingSections): Configuration {
  const written = configuration?.written ?? {};
  const names = new Set([...Object.keys(stored), ...Object.keys(written)]);
  const both = Object.fromEntries([...names].map((name) => [name, layered(stored[name] ?? {}, written[name] ?? {})]));
  const nothing = { path: null, written, channels: [], models: [], accounts: [], sandbox: null };
  return { ...(configuration ?? nothing), ...settingsFrom(fileSchema.parse(both)) };
}
