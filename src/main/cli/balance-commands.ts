import type { Command } from 'commander';
import {
  accountView,
  balanceView,
  type ListedAccount,
  listAccounts,
  showAccount,
} from '../../engine/admin/accounts/read-accounts.ts';
import { allItems } from '../../engine/admin/page.ts';
import { type CommandSetup, withStore } from './context.ts';
import { formatTable } from './table.ts';
import { isoTime } from './time.ts';
import { dollars, formatBudget } from './values.ts';

export function addList(accounts: Command, setup: CommandSetup): void {
  accounts
    .command('list')
    .description('list the accounts, their balances and limits')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  switchyard accounts list\n  switchyard accounts list --json')
    .action(async (options: { json?: boolean }) => {
      const { stdout } = setup.dependencies;
      const found = await withStore(setup, (store) => allItems((page) => listAccounts(store, page)));
      if (options.json) stdout.write(`${JSON.stringify(found.map(accountView), null, 2)}\n`);
      else if (found.length === 0) stdout.write('No accounts yet. Create one with "switchyard accounts create".\n');
      else stdout.write(formatTable(ACCOUNT_COLUMNS, found.map(accountAsRow)));
    });
}

export function addBalance(accounts: Command, setup: CommandSetup): void {
  accounts
    .command('balance')
    .description('show the balance of an account')
    .argument('<id>', 'the account ID, as the list shows it')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
"Held" is reserved by running gateways for requests; what they do not use is released.

Examples:
  switchyard accounts balance acme
  switchyard accounts balance acme --json`,
    )
    .action(async (id: string, options: { json?: boolean }) => {
      const { stdout } = setup.dependencies;
      const { account, balance } = await withStore(setup, (store) => showAccount(store, id));
      const { billing } = account;
      if (options.json) {
        stdout.write(`${JSON.stringify({ id, billing, ...balanceView(balance) }, null, 2)}\n`);
        return;
      }
      const { balanceNanoUsd, leasedNanoUsd } = balance;
      const amounts = [balanceNanoUsd, leasedNanoUsd, balanceNanoUsd - leasedNanoUsd].map(dollars);
      stdout.write(formatTable(['account', 'billing', 'balance', 'held', 'free'], [[id, billing, ...amounts]]));
    });
}

const ACCOUNT_COLUMNS = [
  'id',
  'name',
  'role',
  'admin',
  'billing',
  'balance',
  'requests/min',
  'tokens/min',
  'concurrent',
  'budget',
  'origin',
  'created',
];

function accountAsRow({ account, balance }: ListedAccount): readonly string[] {
  return [
    account.id,
    account.name,
    account.role,
    account.admin ? 'yes' : 'no',
    account.billing,
    dollars(balance.balanceNanoUsd),
    account.requestsPerMinute === null ? 'by role' : String(account.requestsPerMinute),
    String(account.tokensPerMinute ?? '-'),
    String(account.maxConcurrent ?? '-'),
    formatBudget(account.budget),
    account.origin,
    isoTime(account.createdAtMs),
  ];
}
