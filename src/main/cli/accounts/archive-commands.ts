import type { Command } from 'commander';
import { archiveAccount, restoreAccount } from '../../../engine/admin/accounts/change-accounts.ts';
import { accountView, showAccount } from '../../../engine/admin/accounts/read-accounts.ts';
import { type CommandSetup, withDirectory, withStore } from '../context.ts';
import { withDirectoryInForce } from '../in-force.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';

export function addShow(accounts: Command, { dependencies }: CommandSetup): void {
  accounts
    .command('show')
    .description('print everything known about an account, as JSON')
    .argument('<id>', 'the account ID, as the list shows it')
    .addHelpText('after', '\nExamples:\n  switchyard accounts show acme')
    .action(async (id: string, _options: unknown, command) => {
      const { stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const found = await withStore(dependencies, settings, (store) => showAccount(store, id));
      stdout.write(`${JSON.stringify(accountView(found), null, 2)}\n`);
    });
}

export function addArchive(accounts: Command, { dependencies }: CommandSetup): void {
  accounts
    .command('archive')
    .description('archive an account: a running gateway refuses all its keys at once')
    .argument('<id>', 'the account ID, as the list shows it')
    .addHelpText(
      'after',
      `
An account is never deleted, since its ledger refers to it. It stays archived, whatever a configuration file says,
until it is restored. "switchyard accounts erase" deletes what an archived account has sent and received.

Examples:
  switchyard accounts archive acme`,
    )
    .action(async (id: string, _options: unknown, command) => {
      const { clock, stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const { changed } = await withDirectoryInForce(dependencies, settings, (directory) =>
        archiveAccount(directory, clock, id),
      );
      stdout.write(
        changed.length === 0
          ? `${id} is already archived; nothing changed\n`
          : `archived ${id}: its keys are refused; "switchyard accounts restore ${id}" undoes it\n`,
      );
    });
}

export function addRestore(accounts: Command, { dependencies }: CommandSetup): void {
  accounts
    .command('restore')
    .description('restore an archived account: its keys are accepted again')
    .argument('<id>', 'the account ID, as the list shows it')
    .addHelpText('after', '\nExamples:\n  switchyard accounts restore acme')
    .action(async (id: string, _options: unknown, command) => {
      const { stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const { changed } = await withDirectory(dependencies, settings, (directory) => restoreAccount(directory, id));
      stdout.write(changed.length === 0 ? `${id} is not archived; nothing changed\n` : `restored ${id}\n`);
    });
}
