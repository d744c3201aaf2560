import { isReal } from '../../../engine/admin/channels/sync-environment-channels.ts';
import type { Configuration } from '../../../engine/admin/configuration/configuration.ts';
import type { DirectoryRows } from '../../../engine/ports/directory-store.ts';
import type { SettingSections } from '../../../engine/ports/settings-store.ts';
import type { Upstream } from '../../../engine/ports/upstream.ts';
import { ConfigurationError } from '../../configuration/configuration-error.ts';
import { probeTokens } from '../../probe-tokens.ts';
import { type CommandLineDependencies, configurationFrom, withStore } from '../context.ts';
import { knownMasterSecret, masterSecretPath } from '../master-secret.ts';
import { mergedSettings } from '../merged-settings.ts';
import type { Settings } from '../settings.ts';
import { bounded, notInTime } from './bounded.ts';
import { type ComparedClock, judgeClock } from './check-clock.ts';
import { checkCollectors } from './check-collectors.ts';
import { checkDisk, checkModes } from './check-disk.ts';
import { checkExports } from './check-exports.ts';
import {
  checkDataFolder,
  checkMasterSecret,
  checkMediaPlaces,
  checkMediaStore,
  checkMemory,
  checkRuntime,
  exists,
} from './check-files.ts';
import { ChannelProbes, checkPort, type ProbedChannel } from './check-network.ts';
import { checkRedis } from './check-redis.ts';
import { checkSecrets } from './check-secrets.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { checkPublicAddress } from './public-address/check.ts';

/** The time for opening and reading the database, which may be far away. */
const DATABASE_MS = 20_000;
/** The time for Redis, the object store, a folder and the port. */
const CHECK_MS = 10_000;

export interface DiagnoseOptions {
  readonly upstream: Upstream;
  /** The address of clients, without a trailing slash; `null` for `server.public_url`. */
  readonly url: string | null;
}

/**
 * Checks everything that a start needs, without creating anything, and how requests reach a running gateway. Yields each result as soon as
 * it is found. Every check has a time limit.
 */
export async function* diagnose(
  dependencies: CommandLineDependencies,
  settings: Settings,
  { upstream, url }: DiagnoseOptions,
): AsyncGenerator<Finding> {
  const { clock } = dependencies;
  yield checkRuntime();
  const folder = await limited('data folder', checkDataFolder(settings));
  yield* folder;
  // No file is readable in a folder that does not respond, such as one of a network that is down.
  if (folder.some(({ level }) => level === 'warn')) return;
  yield* await limited('disk', checkDisk(settings));
  yield* await limited('file modes', checkModes(settings));
  yield await checkMasterSecret(settings);
  const secret = await knownMasterSecret(settings).catch(() => null);
  const { findings, configuration } = await checkConfiguration(dependencies, settings);
  yield* findings;
  yield* checkSecrets(secret, configuration);
  yield checkMemory(configuration, dependencies.environment);
  yield* await limited('media store', checkMediaStore(configuration, settings));
  yield* await limited('exports', checkExports(configuration));
  const isUsable = folder.every(({ level }) => level === 'ok');
  const database = isUsable ? await boundedDatabase(dependencies, settings) : NOTHING;
  yield* database.findings;
  yield* await limited('redis', checkRedis(settings.redisUrl));
  yield* await limited('port', checkPort(settings, upstream));
  const providers = await dependencies.providers();
  const probes = new ChannelProbes(providers, upstream, clock);
  yield* await probes.check(channelsOf(database.rows, configuration));
  yield* judgeClock(probes.clocks, database.clock);
  const channels = channelsOf(database.rows, configuration).filter((channel) => isReal(channel, providers));
  yield sandboxState(channels.length > 0, configuration);
  const merged = mergedSettings(configuration, database.settings, dependencies.environment);
  yield* await limited('otlp', checkCollectors(merged.configuration.telemetry));
  const address = url ?? merged.configuration.server.publicUrl;
  if (address === null) yield ok('public address', 'not checked: set server.public_url, or name it with --url');
  else if (secret === null) yield ok('public address', 'not checked: there is no master secret yet');
  else yield* checkPublicAddress({ url: address, token: probeTokens(secret, clock).issue(), upstream, clock });
}

/** Resolves to the findings of a check, or to one that it took too long. */
async function limited(subject: string, check: Promise<Finding | readonly Finding[]>): Promise<readonly Finding[]> {
  return [(await bounded(CHECK_MS, check)) ?? notInTime(subject, CHECK_MS)].flat();
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

/** The findings about the database, and what other checks need from it. */
interface CheckedDatabase {
  readonly findings: readonly Finding[];
  readonly rows: DirectoryRows | null;
  /** The settings that were changed in the dashboard. */
  readonly settings: SettingSections;
  readonly clock: ComparedClock | null;
}

const NOTHING: CheckedDatabase = { findings: [], rows: null, settings: {}, clock: null };

async function boundedDatabase(dependencies: CommandLineDependencies, settings: Settings): Promise<CheckedDatabase> {
  const found = await bounded(DATABASE_MS, checkDatabase(dependencies, settings));
  return found ?? { ...NOTHING, findings: [notInTime('database', DATABASE_MS)] };
}

async function checkDatabase(dependencies: CommandLineDependencies, settings: Settings): Promise<CheckedDatabase> {
  const subject = 'database';
  const where = settings.databaseUrl === null ? settings.databasePath : 'PostgreSQL (DATABASE_URL)';
  if (settings.databaseUrl === null && !(await exists(settings.databasePath))) {
    return { ...NOTHING, findings: [ok(subject, `${where} will be created at the first start`)] };
  }
  // Opening would create a new secret, with which nothing in the database could be read.
  if (settings.secret === null && !(await exists(masterSecretPath(settings.dataDirectory)))) {
    if (settings.databaseUrl === null) return NOTHING;
    return { ...NOTHING, findings: [warn(subject, `${where} was not checked: there is no master secret yet`)] };
  }
  try {
    // Opening would create tables or upgrade them.
    const { state, changes } = await dependencies.upgrade.plan(settings);
    if (state !== 'current') return { ...NOTHING, findings: [unopened(subject, where, state, changes.length)] };
    return await withStore({ dependencies, settings }, async (store) => {
      const rows = await store.directory.read('all');
      const { accounts, credentials, models, channels } = rows;
      const counts = `accounts ${accounts.length}, keys ${credentials.length}, models ${models.length}`;
      const opens = ok(subject, `${where} opens (${counts}, channels ${channels.length})`);
      const { nowMs } = await store.describe();
      const aheadMs = dependencies.clock.nowMs() - (nowMs ?? 0);
      return {
        findings: [opens, ...checkMediaPlaces(await store.nodes.living())],
        rows,
        settings: await store.settings.read(),
        clock: nowMs === null ? null : { of: 'the database', aheadMs },
      };
    });
  } catch (error) {
    return { ...NOTHING, findings: [fail(subject, error instanceof Error ? error.message : String(error))] };
  }
}

function unopened(subject: string, where: string, state: 'absent' | 'due', changes: number): Finding {
  if (state === 'absent') return ok(subject, `${where} is empty: its tables will be created at the first start`);
  return warn(
    subject,
    `${where} was not opened: an earlier version has made it, and ${changes} change(s) are due. "switchyard migrate --check" lists them; the next start makes them`,
  );
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
