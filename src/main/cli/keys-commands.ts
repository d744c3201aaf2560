import type { Command } from 'commander';
import type { Credential } from '../../domain/access/api-key.ts';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import { createKey } from '../../engine/admin/create-key.ts';
import { DEFAULT_ACCOUNT_ID } from '../../engine/admin/ensure-first-key.ts';
import { listKeys } from '../../engine/admin/list-keys.ts';
import { revokeKey } from '../../engine/admin/revoke-key.ts';
import { type CommandSetup, withDirectory } from './context.ts';
import { type SettingsOptions, settingsFrom } from './settings.ts';
import { formatTable } from './table.ts';
import { isoTime } from './time.ts';

interface CreateOptions {
  readonly account: string;
  readonly name?: string;
  readonly limitUsd?: string;
  readonly models?: string;
  readonly management?: boolean;
  readonly json?: boolean;
}

export function addKeysCommands(setup: CommandSetup): void {
  const keys = setup.program.command('keys').description('make, list and revoke API keys');
  keys.addHelpText(
    'after',
    `
Examples:
  switchyard keys create --account acme --limit-usd 5
  switchyard keys list
  switchyard keys revoke 'sk-ab…wxyz'`,
  );
  addCreate(keys, setup);
  addList(keys, setup);
  addRevoke(keys, setup);
}

function addCreate(keys: Command, { dependencies }: CommandSetup): void {
  keys
    .command('create')
    .description('make a key and print its secret, which is not shown again')
    .option('--account <id>', 'the account that it belongs to', DEFAULT_ACCOUNT_ID)
    .option('--name <name>', 'what a person calls it')
    .option('--limit-usd <amount>', 'what it may spend in all, such as 5 or 0.25')
    .option('--models <ids>', 'only these models: ids with commas between; * stands for any characters')
    .option('--management', 'a management token (mt-) instead of an inference key (sk-)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The secret alone goes to standard output, so that a script can take it.

Examples:
  switchyard keys create --name laptop
  switchyard keys create --account acme --limit-usd 5 --models 'gpt-4o-mini,claude-*'
  KEY=$(switchyard keys create --account ci)`,
    )
    .action(async (options: CreateOptions, command) => {
      const { clock, stdout, stderr, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const models = options.models?.split(',').map((id) => id.trim());
      const { secret, credential } = await withDirectory(dependencies, settings, (directory) =>
        createKey(directory, clock, {
          accountId: options.account,
          kind: options.management ? 'management' : 'inference',
          name: options.name,
          limitUsd: options.limitUsd,
          models,
        }),
      );
      if (options.json) {
        stdout.write(`${JSON.stringify({ ...keyAsJson(credential), secret }, null, 2)}\n`);
        return;
      }
      stderr.write(`Key ${credential.id} of account ${credential.accountId}. Its secret is shown only now:\n`);
      stdout.write(`${secret}\n`);
    });
}

function addList(keys: Command, { dependencies }: CommandSetup): void {
  keys
    .command('list')
    .description('list the keys of all accounts, or of one')
    .option('--account <id>', 'only the keys of this account')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  switchyard keys list\n  switchyard keys list --account acme --json')
    .action(async (options: { account?: string; json?: boolean }, command) => {
      const { stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const found = await withDirectory(dependencies, settings, (directory) => listKeys(directory, options.account));
      if (options.json) stdout.write(`${JSON.stringify(found.map(keyAsJson), null, 2)}\n`);
      else if (found.length === 0) stdout.write('There are no keys. "switchyard keys create" makes one.\n');
      else stdout.write(formatTable(KEY_COLUMNS, found.map(keyAsRow)));
    });
}

function addRevoke(keys: Command, { dependencies }: CommandSetup): void {
  keys
    .command('revoke')
    .description('revoke a key for good; a running gateway refuses it at once')
    .argument('<key>', 'its id, its preview as the list shows it, account/id, or the whole secret')
    .addHelpText(
      'after',
      `
Examples:
  switchyard keys revoke key_4fW9sQ2mLx
  switchyard keys revoke 'sk-ab…wxyz'
  switchyard keys revoke acme/ci`,
    )
    .action(async (selector: string, _options: unknown, command) => {
      const { clock, stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const { credential, alreadyRevoked } = await withDirectory(dependencies, settings, (directory) =>
        revokeKey(directory, clock, selector),
      );
      const label = `${credential.accountId}/${credential.id} (${credential.preview})`;
      const since = credential.revokedAtMs === null ? '' : ` since ${isoTime(credential.revokedAtMs)}`;
      stdout.write(alreadyRevoked ? `${label} was revoked already${since}; nothing changed\n` : `revoked ${label}\n`);
    });
}

const KEY_COLUMNS = ['id', 'account', 'name', 'preview', 'limit', 'models', 'state', 'created'];

function keyAsRow(key: Credential): readonly string[] {
  return [
    key.id,
    key.accountId,
    key.name,
    key.preview,
    key.limitNanoUsd === null ? '-' : `$${formatNanoUsd(key.limitNanoUsd)}`,
    key.models === null ? 'all' : key.models.join(','),
    stateOf(key),
    isoTime(key.createdAtMs),
  ];
}

function keyAsJson(key: Credential) {
  return {
    id: key.id,
    account: key.accountId,
    kind: key.kind,
    name: key.name,
    preview: key.preview,
    limit_usd: key.limitNanoUsd === null ? null : formatNanoUsd(key.limitNanoUsd),
    models: key.models,
    state: stateOf(key),
    origin: key.origin,
    created_at: isoTime(key.createdAtMs),
    revoked_at: key.revokedAtMs === null ? null : isoTime(key.revokedAtMs),
  };
}

function stateOf(key: Credential): 'active' | 'revoked' {
  return key.revokedAtMs === null ? 'active' : 'revoked';
}
