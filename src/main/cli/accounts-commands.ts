import { type Command, InvalidArgumentError } from 'commander';
import type { Account } from '../../domain/access/account.ts';
import { createAccount } from '../../engine/admin/create-account.ts';
import { listAccounts } from '../../engine/admin/list-accounts.ts';
import { type CommandSetup, withDirectory } from './context.ts';
import { type SettingsOptions, settingsFrom } from './settings.ts';
import { formatTable } from './table.ts';
import { isoTime } from './time.ts';

interface CreateOptions {
  readonly name?: string;
  readonly role?: string;
  readonly admin?: boolean;
  readonly billing?: string;
  readonly requestsPerMinute?: number;
  readonly json?: boolean;
}

export function addAccountsCommands(setup: CommandSetup): void {
  const accounts = setup.program.command('accounts').description('make and list accounts');
  accounts.addHelpText(
    'after',
    '\nExamples:\n  switchyard accounts create acme --role Partner\n  switchyard accounts list',
  );
  addCreate(accounts, setup);
  addList(accounts, setup);
}

function addCreate(accounts: Command, { dependencies }: CommandSetup): void {
  accounts
    .command('create')
    .description('make an account')
    .argument('<id>', 'letters, digits, ".", "_" and "-"')
    .option('--name <name>', 'what people call it (the id)')
    .option('--role <role>', 'User, Partner or VIP: 60, 300 or 1000 requests a minute (User)')
    .option('--admin', 'may administer the gateway')
    .option('--billing <mode>', 'prepaid: refused at zero; unlimited: only recorded (prepaid)')
    .option('--requests-per-minute <number>', "instead of the role's limit", wholeNumber)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  switchyard accounts create acme
  switchyard accounts create research --name 'Research' --role VIP --billing unlimited`,
    )
    .action(async (id: string, options: CreateOptions, command) => {
      const { clock, stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const account = await withDirectory(dependencies, settings, (directory) =>
        createAccount(directory, clock, { ...options, id }),
      );
      if (options.json) stdout.write(`${JSON.stringify(accountAsJson(account), null, 2)}\n`);
      else
        stdout.write(`created account ${account.id}; "switchyard keys create --account ${account.id}" makes a key\n`);
    });
}

function addList(accounts: Command, { dependencies }: CommandSetup): void {
  accounts
    .command('list')
    .description('list the accounts')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  switchyard accounts list\n  switchyard accounts list --json')
    .action(async (options: { json?: boolean }, command) => {
      const { stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const found = await withDirectory(dependencies, settings, listAccounts);
      if (options.json) stdout.write(`${JSON.stringify(found.map(accountAsJson), null, 2)}\n`);
      else if (found.length === 0) stdout.write('There are no accounts. "switchyard accounts create" makes one.\n');
      else stdout.write(formatTable(ACCOUNT_COLUMNS, found.map(accountAsRow)));
    });
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

const ACCOUNT_COLUMNS = ['id', 'name', 'role', 'admin', 'billing', 'requests/min', 'origin', 'created'];

function accountAsRow(account: Account): readonly string[] {
  return [
    account.id,
    account.name,
    account.role,
    account.admin ? 'yes' : 'no',
    account.billing,
    account.requestsPerMinute === null ? 'by role' : String(account.requestsPerMinute),
    account.origin,
    isoTime(account.createdAtMs),
  ];
}

function accountAsJson(account: Account) {
  return {
    id: account.id,
    name: account.name,
    role: account.role,
    admin: account.admin,
    billing: account.billing,
    requests_per_minute: account.requestsPerMinute,
    origin: account.origin,
    created_at: isoTime(account.createdAtMs),
  };
}
