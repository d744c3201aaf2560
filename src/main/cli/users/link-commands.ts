import { type Command, Option } from 'commander';
import { MEMBER_ROLES } from '../../../domain/access/member.ts';
import { invite, resetLink } from '../../../engine/admin/people/invite.ts';
import type { MadeLink } from '../../../engine/admin/people/links.ts';
import { existingUser } from '../../../engine/admin/people/users.ts';
import type { CommandSetup } from '../context.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { isoTime } from '../time.ts';
import { withPeople } from './with-people.ts';

interface InviteOptions {
  readonly email?: string;
  readonly account?: string;
  readonly role?: string;
  readonly operator?: boolean;
}

export function addInvite(users: Command, { dependencies }: CommandSetup): void {
  users
    .command('invite')
    .description('create a one-time invitation link; with a mail server it is also sent by email')
    .option('--email <address>', 'email address of the invited person (anyone with the link)')
    .option('--account <id>', 'account to join')
    .addOption(new Option('--role <role>', 'role in the account (member)').choices(MEMBER_ROLES))
    .option('--operator', 'make the person an admin of all accounts')
    .addHelpText(
      'after',
      '\nExamples:\n  switchyard users invite --operator\n  switchyard users invite --account acme --email ann@example.com',
    )
    .action(async (options: InviteOptions, command) => {
      const { stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const { email, account, role, operator } = options;
      const made = await withPeople(dependencies, settings, (ports, by) =>
        invite(ports, by, { email, account, role, operator }),
      );
      stdout.write(told(made));
    });
}

export function addResetLink(users: Command, { dependencies }: CommandSetup): void {
  users
    .command('reset-link')
    .description('create a one-time password reset link; using it ends all sessions of the user')
    .argument('<user>', 'the email address or ID')
    .addHelpText('after', '\nExamples:\n  switchyard users reset-link ann@example.com')
    .action(async (named: string, _options: unknown, command) => {
      const { stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const made = await withPeople(dependencies, settings, async (ports, by) =>
        resetLink(ports, by, (await existingUser(ports, named)).id),
      );
      stdout.write(told(made));
    });
}

function told({ link, mailed, invitation }: MadeLink): string {
  const { email, expiresAtMs } = invitation;
  const sent = mailed === true ? `sent to ${email}; ` : mailed === false ? 'the email could not be sent; ' : '';
  return `${sent}the link works once, until ${isoTime(expiresAtMs)}:\n  ${link}\n`;
}
