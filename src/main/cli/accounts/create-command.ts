import type { Command } from 'commander';
import { ROLES } from '../../../domain/access/account.ts';
import { type CreatedAccount, createAccount } from '../../../engine/admin/accounts/change-accounts.ts';
import { accountView } from '../../../engine/admin/accounts/read-accounts.ts';
import { type CommandSetup, withStore } from '../context.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { type BudgetOptions, parseBudget, wholeNumber } from '../values.ts';

interface CreateOptions extends BudgetOptions {
  readonly name?: string;
  readonly role?: string;
  readonly admin?: boolean;
  readonly billing?: string;
  readonly balanceUsd?: string;
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly maxConcurrent?: number;
  readonly capture?: string;
  readonly json?: boolean;
}

export function addCreate(accounts: Command, { dependencies }: CommandSetup): void {
  accounts
    .command('create')
    .description('create an account')
    .argument('<id>', 'letters, digits, ".", "_" and "-"')
    .option('--name <name>', 'display name (the ID)')
    .option('--role <role>', 'User, Partner or VIP: 60, 300 or 1000 requests per minute (User)')
    .option('--admin', 'its management tokens may administer the gateway')
    .option('--billing <mode>', 'prepaid: never below zero; unlimited: costs are only recorded (prepaid)')
    .option('--balance-usd <amount>', 'opening balance in USD, such as 10 or 0.25 (0)')
    .option('--requests-per-minute <number>', "limit in place of the role's", wholeNumber)
    .option('--tokens-per-minute <number>', 'prompt and response tokens in any 60 s (no limit)', wholeNumber)
    .option('--max-concurrent <number>', 'concurrent requests and streams (no limit)', wholeNumber)
    .option('--budget <usd/period>', 'spending limit per day, week or month, such as 50/month (no budget)')
    .option('--budget-time-zone <zone>', 'time zone in which a period begins, such as Europe/Berlin (UTC)')
    .option('--capture <mode>', 'none, or full: store requests and responses for a while (none)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  switchyard accounts create acme --balance-usd 20
  switchyard accounts create acme --requests-per-minute 120 --tokens-per-minute 200000 --max-concurrent 20
  switchyard accounts create team --billing unlimited --budget 50/month --budget-time-zone Europe/Berlin
  switchyard accounts create research --name 'Research' --role VIP --billing unlimited`,
    )
    .action(async (id: string, options: CreateOptions, command) => {
      const { clock, stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const made = await withStore(dependencies, settings, (store) =>
        createAccount(store, clock, inputOf(id, options)),
      );
      stdout.write(options.json ? `${JSON.stringify(accountView(made), null, 2)}\n` : describeCreated(made));
    });
}

function inputOf(id: string, options: CreateOptions) {
  return {
    id,
    name: options.name,
    role: ROLES.find((role) => role.toLowerCase() === options.role?.toLowerCase()) ?? options.role,
    admin: options.admin,
    billing: options.billing,
    balance_usd: options.balanceUsd,
    requests_per_minute: options.requestsPerMinute,
    tokens_per_minute: options.tokensPerMinute,
    max_concurrent: options.maxConcurrent,
    budget: parseBudget(options),
    capture: options.capture,
  };
}

function describeCreated({ account, balance, alreadyThere }: CreatedAccount): string {
  if (alreadyThere) return `account ${account.id} already exists with the same content; nothing changed\n`;
  return `created account ${account.id}; ${nextStep(account.billing, balance.balanceNanoUsd, account.id)}\n`;
}

function nextStep(billing: string, balanceNanoUsd: bigint, id: string): string {
  const key = `create a key with "switchyard keys create --account ${id}"`;
  if (billing === 'unlimited' || balanceNanoUsd > 0n) return key;
  return `${key}, add credit with "switchyard accounts grant ${id} AMOUNT"`;
}
