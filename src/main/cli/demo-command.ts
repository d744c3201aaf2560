import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { FilledDemo } from '../../demo/fill-demo.ts';
import type { Store } from '../../engine/ports/store.ts';
import { DEFAULT_CACHE } from '../../engine/settings/settings.ts';
import { ArgonPasswords } from '../../sign-in/passwords.ts';
import { createLogger } from '../logging/logger.ts';
import { openMediaStore } from '../open-stores.ts';
import { newId, newRequestId } from '../system.ts';
import { CommandError } from './command-error.ts';
import { type CommandSetup, openStore } from './context.ts';
import { masterSecret } from './master-secret.ts';
import { type Settings, type SettingsOptions, settingsFrom } from './settings.ts';
import { wholeNumber } from './values.ts';

interface DemoCommandOptions extends SettingsOptions {
  readonly days?: number;
  readonly seed?: string;
  readonly requests?: number;
}

const DEFAULT_DAYS = 30;
const MOST_DAYS = 30;
const DEFAULT_REQUESTS = 60_000;
const MOST_REQUESTS = 1_000_000;
const DEFAULT_SEED = '1';

export function addDemoCommand({ program, dependencies }: CommandSetup): void {
  program
    .command('demo')
    .description('fill an empty data folder with 30 days of sample traffic, to try the dashboard')
    .option('--days <number>', `number of days, up to ${MOST_DAYS} (${DEFAULT_DAYS})`, wholeNumber)
    .option('--requests <number>', `approximate number of requests (${DEFAULT_REQUESTS})`, wholeNumber)
    .option('--seed <text>', `seed of the generated traffic (${DEFAULT_SEED})`)
    .addHelpText(
      'after',
      `
Accounts, people, keys, channels, requests, charges, tasks and alerts are made up but consistent: "switchyard ledger
verify" passes. The channels point to addresses of this machine where nothing listens; the sandbox responds instead. A folder
or database that is not empty is not changed.

Examples:
  switchyard demo --data ./demo
  switchyard serve --data ./demo`,
    )
    .action(async (_options: unknown, command) => {
      const { stdout, environment } = dependencies;
      const options = command.optsWithGlobals() as DemoCommandOptions;
      const settings = settingsFrom(options, environment);
      const days = between(options.days ?? DEFAULT_DAYS, MOST_DAYS, '--days');
      const requests = between(options.requests ?? DEFAULT_REQUESTS, MOST_REQUESTS, '--requests');
      await refuseFilledFolder(settings);
      const filled = await fill({ dependencies, settings, days, requests, seed: options.seed ?? DEFAULT_SEED });
      stdout.write(told(filled, settings));
    });
}

function between(value: number, most: number, option: string): number {
  if (value >= 1 && value <= most) return value;
  throw new CommandError(`${option}: must be a whole number from 1 to ${most}`, 2);
}

async function fill({
  dependencies,
  settings,
  ...wanted
}: Pick<CommandSetup, 'dependencies'> & {
  readonly settings: Settings;
  readonly days: number;
  readonly requests: number;
  readonly seed: string;
}): Promise<FilledDemo> {
  const { clock } = dependencies;
  const { dataDirectory } = settings;
  const store = await openStore(dependencies, settings, { exclusive: true });
  try {
    await refuseFilledStore(store);
    const logger = createLogger('error');
    const secret = await masterSecret(settings);
    const mediaStore = openMediaStore({ clock, configuration: null, dataDirectory, secret, logger });
    // A Redis cache may belong to another gateway.
    const cache =
      settings.redisUrl === null
        ? await dependencies.openCache({ settings: DEFAULT_CACHE, dataDirectory, redisUrl: null, secret })
        : null;
    try {
      // Loaded lazily: only this command needs it, so the gateway starts faster.
      const { fillDemo } = await import('../../demo/fill-demo.ts');
      const providers = await dependencies.providers();
      const system = { newId, newRequestId, passwords: new ArgonPasswords() };
      return await fillDemo({ system, store, cache, mediaStore, providers, logger, nowMs: clock.nowMs(), ...wanted });
    } finally {
      await Promise.all([mediaStore.close(), cache?.close()]);
    }
  } finally {
    await store.close();
  }
}

/** Refuses a folder with content, since demo data must not mix with real data. */
async function refuseFilledFolder({ dataDirectory }: Settings): Promise<void> {
  const names = await readdir(dataDirectory).catch((error: { readonly code?: unknown }) => {
    if (error.code === 'ENOENT') return [];
    throw new CommandError(
      `${dataDirectory}: cannot be read (${String(error.code)}): choose another folder with --data`,
    );
  });
  const found = names.filter((name) => !name.startsWith('.') && name !== 'lost+found');
  if (found.length === 0) return;
  throw new CommandError(
    `${dataDirectory}: is not empty (${found.slice(0, 3).join(', ')}${found.length > 3 ? ', …' : ''}), and the demo needs an empty folder: choose another one with --data`,
  );
}

async function refuseFilledStore({ directory, people, requestLog }: Store): Promise<void> {
  const [accounts, { channels, models }, users, lines] = await Promise.all([
    directory.accounts({ after: null, limit: 1 }),
    directory.read({}),
    people.users({ after: null, limit: 1 }),
    requestLog.recent(1),
  ]);
  if (accounts.length + channels.length + models.length + users.length + lines.length === 0) return;
  throw new CommandError(
    'DATABASE_URL: the database is not empty, and the demo needs an empty one: create another database',
  );
}

function told({ requests, costUsd, operator, owner }: FilledDemo, { dataDirectory, databaseUrl }: Settings): string {
  const folder = resolve(dataDirectory);
  const database = databaseUrl === null ? '' : ', with the same DATABASE_URL';
  return `${requests} requests for ${costUsd.replace(/(\.\d\d)\d+$/, '$1')} USD, all made up, are in ${folder}${database === '' ? '' : ' and the database'}.

Start it${database}:
  switchyard serve --data '${folder}'

Sign in as the admin:
  ${operator.email}
  ${operator.password}
or as an account owner:
  ${owner.email}
  ${owner.password}
The passwords are not shown again.
`;
}
