import { addArchive, addRestore, addShow } from './accounts/archive-commands.ts';
import { addBalance, addList } from './accounts/balance-commands.ts';
import { addAdjust, addGrant } from './accounts/change-commands.ts';
import { addCreate } from './accounts/create-command.ts';
import { addErase } from './accounts/erase-command.ts';
import type { CommandSetup } from './context.ts';

export function addAccountsCommands(setup: CommandSetup): void {
  const accounts = setup.program
    .command('accounts')
    .description('create, list, archive and erase accounts, and add credit');
  accounts.addHelpText(
    'after',
    `
Examples:
  switchyard accounts create acme --role Partner --balance-usd 20
  switchyard accounts list
  switchyard accounts grant acme 10 --note 'invoice 4711'
  switchyard accounts balance acme`,
  );
  for (const add of [addCreate, addList, addShow, addBalance, addGrant, addAdjust, addArchive, addRestore, addErase])
    add(accounts, setup);
}
