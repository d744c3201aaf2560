import type { Command } from 'commander';
import type { UserWithMemberships } from '../../../domain/access/user.ts';
import { allItems } from '../../../engine/admin/page.ts';
import { userView } from '../../../engine/admin/people/person-view.ts';
import { listUsers } from '../../../engine/admin/people/users.ts';
import { type CommandSetup, withStore } from '../context.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { formatTable } from '../table.ts';
import { isoTime } from '../time.ts';

export function addList(users: Command, { dependencies }: CommandSetup): void {
  users
    .command('list')
    .description('list users and their accounts')
    .option('--account <id>', 'only members of this account')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  switchyard users list\n  switchyard users list --account acme --json')
    .action(async (options: { account?: string; json?: boolean }, command) => {
      const { stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const found = await withStore(dependencies, settings, (store) =>
        allItems((page) => listUsers(store, { ...page, accountId: options.account })),
      );
      if (options.json) stdout.write(`${JSON.stringify(found.map(userView), null, 2)}\n`);
      else if (found.length === 0)
        stdout.write('No users yet. Create an invitation link with "switchyard users invite --operator".\n');
      else stdout.write(formatTable(COLUMNS, found.map(asRow)));
    });
}

const COLUMNS = ['email', 'id', 'name', 'accounts', 'operator', 'second factor', 'state', 'since'];

function asRow(user: UserWithMemberships): readonly string[] {
  const accounts = user.memberships.map(({ accountId, role }) => `${accountId} (${role})`);
  return [
    user.email,
    user.id,
    user.name,
    accounts.join(', ') || '-',
    user.operator ? 'yes' : '-',
    user.twoFactorEnabled ? 'yes' : '-',
    user.disabledAtMs === null ? 'active' : 'disabled',
    isoTime(user.createdAtMs),
  ];
}
