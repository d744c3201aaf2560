import { auditedStore, localOrigin } from '../engine/admin/audit/audit-trail.ts';
import type { Configuration } from '../engine/admin/configuration/configuration.ts';
import { withSettings } from '../engine/admin/schema/configuration-file.ts';
import type { Clock } from '../engine/ports/clock.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { Store } from '../engine/ports/store.ts';
import { providers } from '../providers/index.ts';
import { applyFile } from './apply-file.ts';
import { ConfigurationError } from './configuration/configuration-error.ts';
import { loadConfiguration } from './configuration/load-configuration.ts';
import type { LoadedConfiguration } from './loaded-configuration.ts';
import type { LiveLogSettings } from './logging/live-settings.ts';

export interface Reloading {
  /** The configuration with which the gateway has started. */
  readonly configuration: Configuration;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Records the outcome for operators. */
  readonly loadedConfiguration: Pick<LoadedConfiguration, 'loaded' | 'refused'>;
  /** Makes this gateway apply the changes. */
  readonly refresh: () => Promise<unknown>;
  readonly liveLogs: Pick<LiveLogSettings, 'reloaded'>;
  /** `null` if there is none. */
  readonly accessLog: { reopen(): void } | null;
}

/** The maximum number of problems in a log line. */
const MOST_PROBLEMS = 20;
/** The sections that a reload applies; all others are read when a gateway starts. */
const TAKEN_OVER = ['channels', 'models', 'accounts', 'sandbox', 'logs'];

/**
 * Returns a function that reloads the configuration. Reloads run one at a time, and requests during a reload lead to one more. Never
 * rejects.
 */
export function createReload(reloading: Reloading): () => Promise<void> {
  let isAsked = false;
  let running: Promise<void> | null = null;
  const runAll = async () => {
    while (isAsked) {
      isAsked = false;
      await reload(reloading);
    }
    running = null;
  };
  return () => {
    isAsked = true;
    running ??= runAll();
    return running;
  };
}

async function reload({
  configuration,
  accessLog,
  liveLogs,
  environment,
  store,
  clock,
  logger,
  loadedConfiguration,
  refresh,
}: Reloading): Promise<void> {
  accessLog?.reopen();
  const { path } = configuration;
  if (path === null) return logger.warn({}, 'no configuration file to reload: set SWITCHYARD_CONFIG');
  try {
    const read = await loadConfiguration(path, { environment, providers });
    // The file must also be valid together with the settings from the API, or the next start would ignore these.
    withSettings(read, await store.settings.read());
    const actor = { kind: 'file', name: path } as const;
    const audited = auditedStore(store, { origin: localOrigin(actor), clock });
    const { created, updated, removed, notices } = await applyFile(audited, {
      configuration: read,
      providers,
      clock,
      actor,
    });
    await refresh();
    await liveLogs.reloaded(read.written.logs ?? {});
    for (const notice of notices) logger.warn({ notice }, 'a notice about the configuration');
    const counts = { created: created.length, updated: updated.length, removed: removed.length };
    logger.info({ path, ...counts }, 'configuration reloaded');
    loadedConfiguration.loaded(clock.nowMs());
    const sections = changedSections(configuration, read);
    if (sections.length > 0) logger.warn({ sections }, 'these sections changed and take effect at the next start');
  } catch (error) {
    const problems = problemsOf(error);
    loadedConfiguration.refused(clock.nowMs(), problems[0] ?? 'an unknown problem');
    logger.error({ path, problems }, 'the configuration could not be reloaded; the previous one stays in effect');
  }
}

function changedSections(before: Configuration, after: Configuration): string[] {
  const names = new Set([...Object.keys(before.written), ...Object.keys(after.written)]);
  const differs = (name: string) => JSON.stringify(before.written[name]) !== JSON.stringify(after.written[name]);
  return [...names].filter((name) => !TAKEN_OVER.includes(name) && differs(name)).sort();
}

function problemsOf(error: unknown): readonly string[] {
  if (error instanceof ConfigurationError) return error.problems.slice(0, MOST_PROBLEMS);
  return [error instanceof Error ? error.message : String(error)];
}
