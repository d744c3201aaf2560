import type { CommandSetup } from './context.ts';
import { addErase } from './users/erase-command.ts';
import { addInvite, addResetLink } from './users/link-commands.ts';
import { addList } from './users/list-command.ts';
import { addDisable, addEnable, addRevokeSessions } from './users/switch-commands.ts';

/** Adds `switchyard users`: people who sign in. */
export function addUsersCommands(setup: CommandSetup): void {
  const users = setup.program.command('users').description('invite, list, disable, enable and erase users');
  users.addHelpText(
    'after',
    `
Examples:
  switchyard users invite --operator
  switchyard users invite --email ann@example.com --account acme --role owner
  switchyard users reset-link ann@example.com
  switchyard users disable ann@example.com
  switchyard users erase ann@example.com`,
  );
  for (const add of [addInvite, addList, addDisable, addEnable, addResetLink, addRevokeSessions, addErase])
    add(users, setup);
}
