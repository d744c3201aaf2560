import type { Command } from 'commander';
import { changeUser, existingUser, revokeSessions } from '../../../engine/admin/people/users.ts';
import type { CommandSetup } from '../context.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { withPeople } from './with-people.ts';

export function addDisable(users: Command, setup: CommandSetup): void {
  addSwitch(users, setup, {
    name: 'disable',
    description: 'disable a user: all sessions end at once, on all nodes',
    disabled: true,
  });
}

export function addEnable(users: Command, setup: CommandSetup): void {
  addSwitch(users, setup, { name: 'enable', description: 'enable a disabled user', disabled: false });
}

function addSwitch(
  users: Command,
  { dependencies }: CommandSetup,
  { name, description, disabled }: { readonly name: string; readonly description: string; readonly disabled: boolean },
): void {
  users
    .command(name)
    .description(description)
    .argument('<user>', 'the email address or ID')
    .addHelpText('after', `\nExamples:\n  switchyard users ${name} ann@example.com`)
    .action(async (named: string, _options: unknown, command) => {
      const { stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const { email } = await withPeople(dependencies, settings, (ports, by) =>
        changeUser(ports, by, named, { disabled }),
      );
      stdout.write(`${email} is ${disabled ? 'disabled' : 'enabled'}\n`);
    });
}

export function addRevokeSessions(users: Command, { dependencies }: CommandSetup): void {
  users
    .command('revoke-sessions')
    .description('end all sessions of a user, who can sign in again')
    .argument('<user>', 'the email address or ID')
    .addHelpText('after', '\nExamples:\n  switchyard users revoke-sessions ann@example.com')
    .action(async (named: string, _options: unknown, command) => {
      const { stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const ended = await withPeople(dependencies, settings, async (ports, by) =>
        revokeSessions(ports, by, (await existingUser(ports, named)).id, null),
      );
      stdout.write(`${ended} ${ended === 1 ? 'session' : 'sessions'} ended\n`);
    });
}
