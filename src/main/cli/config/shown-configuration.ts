import { defaultSections } from '../../../engine/admin/settings/default-settings.ts';
import { settingsView } from '../../../engine/admin/settings/settings.ts';
import type { SettingSections } from '../../../engine/ports/settings-store.ts';
import type { Store } from '../../../engine/ports/store.ts';
import type { LocatedConfiguration } from '../../configuration/load-configuration.ts';
import { workerCount } from '../../group/worker-count.ts';
import { availableMemory, memoryInForce } from '../../memory.ts';
import { variableSource } from '../../shown-environment.ts';
import { type CommandLineDependencies, withStore } from '../context.ts';
import { exists } from '../doctor/check-files.ts';
import { knownMasterSecret } from '../master-secret.ts';
import { type MergedSettings, mergedSettings, withEnvironment } from '../merged-settings.ts';
import type { Environment, Settings, SettingsOptions } from '../settings.ts';
import { type ProcessSetting, processSettings } from './process-settings.ts';

/** A setting in the form of the configuration file. Of a secret, the value says only that it is set. */
export interface ShownSetting {
  readonly value: unknown;
  /** `api` is the dashboard or the management API. */
  readonly source: 'default' | 'api' | 'file';
  /** The line in the configuration file. */
  readonly line?: number;
  /** The environment variables that the value in the file comes from: `NAME`, or `NAME_FILE (path)`. */
  readonly variables?: readonly string[];
}

export interface ShownConfiguration {
  /** The path of the configuration file; `null` for none. */
  readonly file: string | null;
  /** The settings of the process, by the name of their environment variable. */
  readonly process: Readonly<Record<string, ProcessSetting>>;
  /** The settings of each section, by their path in it. */
  readonly settings: Readonly<Record<string, Readonly<Record<string, ShownSetting>>>>;
}

interface Wanted {
  readonly settings: Settings;
  /** The options of the command line, which the settings come from. */
  readonly options: SettingsOptions;
  /** Whether settings that have their default are left out. */
  readonly onlyChanged: boolean;
}

/**
 * Resolves to the settings with which a gateway would start now. It creates nothing. Throws `CommandError` and `ConfigurationError` as a
 * start does; if only the database cannot be read, the result is not complete, and a notice says why.
 */
export async function shownConfiguration(
  dependencies: CommandLineDependencies,
  { settings, options, onlyChanged }: Wanted,
): Promise<ShownConfiguration & { readonly notices: readonly string[]; readonly isComplete: boolean }> {
  const { environment } = dependencies;
  const located = await locatedConfiguration(dependencies, settings.configurationPath);
  const database = await storedSections(dependencies, settings);
  const merged = mergedSettings(located?.configuration ?? null, database.sections, environment);
  const isShown = ({ source }: { readonly source: string }) => !onlyChanged || source !== 'default';
  const sections = await sectionsInForce(environment, located, merged);
  return {
    file: settings.configurationPath,
    process: shownOf(await processSettings({ settings, options, environment }), isShown),
    settings: Object.fromEntries(
      Object.entries(sections)
        .map(([name, fields]) => [name, shownOf(fields, isShown)] as const)
        .filter(([, fields]) => Object.keys(fields).length > 0),
    ),
    notices: [...database.notices, ...merged.notices],
    isComplete: database.notices.length === 0,
  };
}

async function locatedConfiguration(
  { environment, providers }: CommandLineDependencies,
  path: string | null,
): Promise<LocatedConfiguration | null> {
  if (path === null) return null;
  const { loadWithLines } = await import('../../configuration/load-configuration.ts');
  return loadWithLines(path, { environment, providers: await providers() });
}

interface StoredSections {
  readonly sections: SettingSections;
  readonly notices: readonly string[];
}

/** Reads what was changed over the API. A database that does not exist yet holds nothing, and opening would create it. */
async function storedSections(dependencies: CommandLineDependencies, settings: Settings): Promise<StoredSections> {
  const { databaseUrl, databasePath } = settings;
  if (databaseUrl === null && !(await exists(databasePath))) return { sections: {}, notices: [] };
  const missing = (reason: string) => ({
    sections: {},
    notices: [
      `settings that were changed in the dashboard are missing here, because the database cannot be read: ${reason}`,
    ],
  });
  try {
    // Opening the database without a secret would create one.
    if ((await knownMasterSecret(settings)) === null)
      return missing('there is no master secret. Run "switchyard doctor"');
    // Only looking must not upgrade it either.
    const unchanged: Settings = { ...settings, databaseUpgrade: 'refuse' };
    const read = (store: Pick<Store, 'settings'>) => store.settings.read();
    return { sections: await withStore({ dependencies, settings: unchanged }, read), notices: [] };
  } catch (error) {
    return missing(error instanceof Error ? error.message : String(error));
  }
}

async function sectionsInForce(
  environment: Environment,
  located: LocatedConfiguration | null,
  { configuration, storedSettings: stored }: MergedSettings,
): Promise<ShownConfiguration['settings']> {
  const memory = memoryInForce(configuration, workerCount(environment), availableMemory(environment));
  const { path, written, sandbox } = configuration;
  const { defaults, variables } = withEnvironment(
    defaultSections(memory.defaults),
    configuration.variables,
    environment,
  );
  const read = async () => stored;
  const { sections } = await settingsView({ read }, { path, written, variables, stored, defaults, environment: {} });
  const withPlaces = Object.entries(sections).map(([section, fields]) => {
    const shown = Object.entries(fields).map(([field, { value, source, variables: names }]): [string, ShownSetting] => [
      field,
      {
        ...{ value, source },
        ...(source === 'file' && located !== null && { line: located.lineOf([section, ...field.split('.')]) }),
        ...(names !== undefined && { variables: names.map((name) => variableSource(environment, name)) }),
      },
    ]);
    return [section, Object.fromEntries(shown)] as const;
  });
  const ofSandbox: ShownSetting =
    sandbox === null || located === null
      ? { value: null, source: 'default' }
      : { value: sandbox, source: 'file', line: located.lineOf(['sandbox']) };
  return { '': { sandbox: ofSandbox }, ...Object.fromEntries(withPlaces) };
}

function shownOf<Setting extends { readonly source: string }>(
  settings: Readonly<Record<string, Setting>>,
  isShown: (setting: Setting) => boolean,
): Readonly<Record<string, Setting>> {
  return Object.fromEntries(Object.entries(settings).filter(([, setting]) => isShown(setting)));
}
