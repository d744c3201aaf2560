import { isReal } from '../../../engine/admin/channels/sync-environment-channels.ts';
import type { Configuration } from '../../../engine/admin/configuration/configuration.ts';
import type { DirectoryRows } from '../../../engine/ports/directory-store.ts';
import type { Upstream } from '../../../engine/ports/upstream.ts';
import { ConfigurationError } from '../../configuration/configuration-error.ts';
import { type CommandLineDependencies, configurationFrom, withStore } from '../context.ts';
import { masterSecretPath } from '../master-secret.ts';
import type { Settings } from '../settings.ts';
import {
  checkDataFolder,
  checkMasterSecret,
  checkMediaPlaces,
  checkMediaStore,
  checkMemory,
  checkRuntime,
  exists,
} from './check-files.ts';
import { checkChannels, checkPort, type ProbedChannel } from './check-network.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Checks everything that a start needs, without creating anything; yields each result as soon as it is found. */
export async function* diagnose(
  dependencies: CommandLineDependencies,
  settings: Settings,
  upstream: Upstream,
): AsyncGenerator<Finding> {
  yield checkRuntime();
  const folder = await checkDataFolder(settings);
  yield folder;
  yield await checkMasterSecret(settings);
  const { findings, configuration } = await checkConfiguration(dependencies, settings);
  yield* findings;
  yield checkMemory(configuration, dependencies.environment);
  yield await checkMediaStore(configuration, settings);
  const database = folder.level === 'FAIL' ? null : await checkDatabase(dependencies, settings);
  if (database !== null) yield* database.findings;
  const rows = database?.rows ?? null;
  yield await checkPort(settings, upstream);
  const providers = await dependencies.providers();
  yield* await checkChannels(channelsOf(rows, configuration), providers, upstream);
  const channels = channelsOf(rows, configuration).filter((channel) => isReal(channel, providers));
  yield sandboxState(channels.length > 0, configuration);
}

async function checkConfiguration(dependencies: CommandLineDependencies, settings: Settings) {
  const subject = 'configuration';
  const path = settings.configurationPath;
  try {
    const configuration = await configurationFrom(dependencies, path);
    const message = path === null ? 'none; set SWITCHYARD_CONFIG or --config to use one' : `${path} is valid`;
    return { findings: [ok(subject, message)], configuration };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { findings: error.problems.map((problem) => fail(subject, problem)), configuration: null };
  }
}

async function checkDatabase(
  dependencies: CommandLineDependencies,
  settings: Settings,
): Promise<{ findings: readonly Finding[]; rows: DirectoryRows | null } | null> {
  const subject = 'database';
  const where = settings.databaseUrl === null ? settings.databasePath : 'PostgreSQL (DATABASE_URL)';
  if (settings.databaseUrl === null && !(await exists(settings.databasePath))) {
    return { findings: [ok(subject, `${where} will be created at the first start`)], rows: null };
  }
  // Opening would create a new secret, with which nothing in the database could be read.
  if (settings.secret === null && !(await exists(masterSecretPath(settings.dataDirectory)))) {
    if (settings.databaseUrl === null) return null;
    return { findings: [warn(subject, `${where} was not checked: there is no master secret yet`)], rows: null };
  }
  try {
    const { rows, nodes } = await withStore({ dependencies, settings }, async (store) => ({
      rows: await store.directory.read('all'),
      nodes: await store.nodes.living(),
    }));
    const { accounts, credentials, models, channels } = rows;
    const counts = `accounts ${accounts.length}, keys ${credentials.length}, models ${models.length}`;
    const opens = ok(subject, `${where} opens (${counts}, channels ${channels.length})`);
    return { findings: [opens, ...checkMediaPlaces(nodes)], rows };
  } catch (error) {
    return { findings: [fail(subject, error instanceof Error ? error.message : String(error))], rows: null };
  }
}

/** Returns the channels of the next start: the file's channels replace those of an earlier file. */
function channelsOf(rows: DirectoryRows | null, configuration: Configuration | null): readonly ProbedChannel[] {
  const stored = (rows?.channels ?? []).filter((channel) => channel.enabled);
  if (configuration === null) return stored;
  const configured = new Set(configuration.channels.map((channel) => channel.id));
  const others = stored.filter((channel) => channel.origin !== 'config' && !configured.has(channel.id));
  return [...configuration.channels, ...others];
}

function sandboxState(hasOthers: boolean, configuration: Configuration | null): Finding {
  const subject = 'sandbox';
  if (configuration?.sandbox === true && hasOthers) {
    return warn(
      subject,
      'on in addition to real channels: its models return synthetic responses, since "sandbox: true" is set',
    );
  }
  if (configuration?.sandbox === true) return ok(subject, 'on, as configured: synthetic responses');
  if (configuration?.sandbox === false) return ok(subject, 'off, as configured');
  if (hasOthers) return ok(subject, 'off: there are real channels');
  return warn(subject, 'on: without a channel every response is synthetic; set a provider key or configure a channel');
}
