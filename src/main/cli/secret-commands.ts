import { rename } from 'node:fs/promises';
import type { Command } from 'commander';
import type { Forgotten, ResealedCounts } from '../../stores/shared/secret/change-secret.ts';
import { CommandError } from './command-error.ts';
import type { CommandSetup } from './context.ts';
import {
  checkedSecret,
  knownMasterSecret,
  makeMasterSecret,
  masterSecretPath,
  randomSecret,
  readMasterSecret,
} from './master-secret.ts';
import type { Settings } from './settings.ts';

const NEW_VARIABLE = 'SWITCHYARD_NEW_SECRET';

export function addSecretCommands(setup: CommandSetup): void {
  const secret = setup.program.command('secret').description('generate, rotate or forget the master secret');
  secret.addHelpText('after', '\nExamples:\n  switchyard secret generate\n  switchyard secret rotate');
  addGenerate(secret, setup);
  addRotate(secret, setup);
  addForget(secret, setup);
}

function addGenerate(secret: Command, { dependencies: { stdout } }: CommandSetup): void {
  secret
    .command('generate')
    .description('print a new secret for SWITCHYARD_SECRET without changing anything')
    .action(() => void stdout.write(`${randomSecret()}\n`));
}

function addRotate(secret: Command, setup: CommandSetup): void {
  secret
    .command('rotate')
    .description('re-encrypt the database with a new master secret, while no gateway runs')
    .addHelpText(
      'after',
      `
The new secret is read from ${NEW_VARIABLE}. If the current one is a file in the data folder, a new one can be generated in its place.
The change is one transaction: if it is interrupted, nothing has changed; run the command again. Everyone must sign in again, existing
media links stop working, and the cache starts empty. See docs/operating.md.

Examples:
  switchyard secret rotate
  ${NEW_VARIABLE}=$(switchyard secret generate) switchyard secret rotate`,
    )
    .action(async () => {
      const { environment, stdout } = setup.dependencies;
      const { settings } = setup;
      const from = await knownMasterSecret(settings);
      if (from === null) throw new CommandError('There is no master secret to change: SWITCHYARD_SECRET is not set');
      const given = environment[NEW_VARIABLE] ? checkedSecret(environment[NEW_VARIABLE], NEW_VARIABLE) : null;
      const isFile = settings.secret === null && settings.databaseUrl === null;
      if (!isFile && given === null) throw new CommandError(newSecretRequired(settings));
      const to = given ?? (await nextSecret(settings));
      if (to === from) throw new CommandError(`${NEW_VARIABLE}: is already the secret in use`);
      const counts = await setup.dependencies.changeSecret.rotate(settings, from, to);
      if (isFile && given === null) await rename(nextPath(settings), masterSecretPath(settings.dataDirectory));
      stdout.write(formatRotated(counts, isFile && given === null));
    });
}

function newSecretRequired({ secret }: Settings): string {
  const where = secret === null ? 'with DATABASE_URL' : 'where SWITCHYARD_SECRET is set';
  return `${NEW_VARIABLE}: is required ${where}. Create one with "switchyard secret generate", and store it safely first`;
}

/** Resolves to the next secret. It is stored beside the current one until the database uses it, so an interrupted change finds both. */
async function nextSecret(settings: Settings): Promise<string> {
  const path = nextPath(settings);
  return (await readMasterSecret(path)) ?? (await makeMasterSecret(settings.dataDirectory, path));
}

function nextPath({ dataDirectory }: Settings): string {
  return `${masterSecretPath(dataDirectory)}.next`;
}

function formatRotated(counts: ResealedCounts | null, isFile: boolean): string {
  const done =
    counts === null
      ? 'The database already uses the new secret.'
      : `Re-encrypted: ${formatCounts(counts) || 'nothing was stored'}. Everyone must sign in again.`;
  const next = isFile
    ? 'The data folder has the new secret. Back it up, and start the gateway.'
    : 'Set SWITCHYARD_SECRET to the new secret on every node and wherever you run commands, then start the gateways.';
  return `${done}\n${next}\n`;
}

function addForget(secret: Command, setup: CommandSetup): void {
  secret
    .command('forget')
    .description('delete data that is unreadable after the master secret was lost')
    .option('--yes', 'confirm the deletion')
    .addHelpText(
      'after',
      `
Deletes the keys of channels, alert targets, the mail server's address, second factors, stored responses, captures, tasks and sessions, and lists the channels that need
their keys again. Accounts, keys, users, balances, the ledger, usage and logs are not encrypted and stay. The database then uses the
secret in SWITCHYARD_SECRET, or a new one in the data folder.

Examples:
  switchyard secret forget --yes`,
    )
    .action(async (options: { yes?: boolean }) => {
      const { stdout } = setup.dependencies;
      const { settings } = setup;
      if (options.yes !== true) throw new CommandError('This deletes everything encrypted. Add --yes to continue', 2);
      if ((await readMasterSecret(nextPath(settings))) !== null)
        throw new CommandError(
          `${nextPath(settings)}: it is left from an interrupted "switchyard secret rotate" and may be the secret. Run that command again`,
        );
      const known = await knownMasterSecret(settings);
      if (known === null && settings.databaseUrl !== null)
        throw new CommandError(
          'SWITCHYARD_SECRET: set it to the new secret; create one with "switchyard secret generate"',
        );
      const path = masterSecretPath(settings.dataDirectory);
      const to = known ?? (await makeMasterSecret(settings.dataDirectory, path));
      const forgotten = await setup.dependencies.changeSecret.forget(settings, to);
      if (forgotten === null)
        throw new CommandError('The database opens with this secret: nothing is lost, and nothing was deleted');
      stdout.write(formatForgotten(forgotten));
    });
}

function formatForgotten({ channels, targets, users, settings, deleted }: Forgotten): string {
  const list = (title: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${title}: ${names.join(', ')}`];
  const lines = [
    ...list('Channels that need their keys again', channels),
    ...list('Deleted alert targets', targets),
    ...list('Users who must set up their second factor again', users),
    ...list('Settings that must be set again', settings),
    `Deleted: ${formatCounts(deleted) || 'nothing else'}. Everyone must sign in again.`,
  ];
  return `${lines.join('\n')}\n`;
}

/** The names of tables in the documentation's terms. */
const WORDS: Readonly<Record<string, string>> = {
  channels: 'channel keys',
  settings: 'settings',
  alert_targets: 'alert targets',
  responses: 'parts of stored responses',
  tasks: 'parts of tasks',
  cache_reports: 'cache reports',
  idempotent_requests: 'idempotent responses',
  captures: 'parts of captures',
  sign_in_two_factors: 'parts of second factors',
};

function formatCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([table, count]) => `${count} ${WORDS[table] ?? table}`)
    .join(', ');
}
