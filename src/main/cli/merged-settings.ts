import type { Configuration } from '../../engine/admin/configuration/configuration.ts';
import { withSettings } from '../../engine/admin/schema/configuration-file.ts';
import type { SettingSections } from '../../engine/ports/settings-store.ts';

export interface MergedSettings {
  readonly configuration: Configuration;
  /** The settings that were changed through the API, unless they are ignored. */
  readonly storedSettings: SettingSections;
  /** Sentences for the terminal, without a full stop. */
  readonly notices: readonly string[];
}

/** Merges the settings from the API into the configuration. The file wins if the two contradict each other. */
export function mergedSettings(configuration: Configuration | null, storedSettings: SettingSections): MergedSettings {
  try {
    return { configuration: withSettings(configuration, storedSettings), storedSettings, notices: [] };
  } catch {
    const notice = 'settings from the API conflict with the configuration file and are ignored';
    return { configuration: withSettings(configuration, {}), storedSettings: {}, notices: [notice] };
  }
}
