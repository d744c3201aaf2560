import type { Configuration, SettingVariables } from '../../engine/admin/configuration/configuration.ts';
import { withSettings } from '../../engine/admin/schema/configuration-file.ts';
import { layered } from '../../engine/admin/settings/leaves.ts';
import type { SettingSections } from '../../engine/ports/settings-store.ts';
import { environmentSettings } from '../configuration/environment-settings.ts';
import type { Environment } from './settings.ts';

export interface MergedSettings {
  readonly configuration: Configuration;
  /** The settings that were changed through the API, unless they are ignored. */
  readonly storedSettings: SettingSections;
  /** Sentences for the terminal, without a full stop. */
  readonly notices: readonly string[];
}

/**
 * Merges the settings from the API and from standard variables of the environment into the configuration. The file wins over the API, and
 * both over the environment. Throws `CommandError` for a variable with a wrong value.
 */
export function mergedSettings(
  configuration: Configuration | null,
  storedSettings: SettingSections,
  environment: Environment,
): MergedSettings {
  const { sections } = environmentSettings(environment);
  try {
    return { configuration: withSettings(configuration, storedSettings, sections), storedSettings, notices: [] };
  } catch {
    const notice = 'settings from the API conflict with the configuration file and are ignored';
    return { configuration: withSettings(configuration, {}, sections), storedSettings: {}, notices: [notice] };
  }
}

/** Returns the defaults with what the environment states in place of them, and the variables that state it. */
export function withEnvironment(
  defaults: SettingSections,
  variables: SettingVariables,
  environment: Environment,
): { readonly defaults: SettingSections; readonly variables: SettingVariables } {
  const stated = environmentSettings(environment);
  const sections = Object.entries(stated.sections).map(([name, fields]) => [
    name,
    layered(defaults[name] ?? {}, fields),
  ]);
  return {
    defaults: { ...defaults, ...Object.fromEntries(sections) },
    variables: { ...stated.variables, ...variables },
  };
}
