import type { Command } from 'commander';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { balanceView } from '../../../engine/admin/accounts/read-accounts.ts';
import { type BalanceChange, type ChangedBalance, changeBalance } from '../../../engine/admin/ledger/change-ledger.ts';
import { type CommandLineDependencies, type CommandSetup, withStore } from '../context.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { dollars } from '../values.ts';

interface ChangeOptions {
  readonly note?: string;
  readonly idempotencyKey?: string;
  readonly json?: boolean;
}

const KEY_HELP = 'repeating the command with this key changes nothing; for example an invoice number';

export function addGrant(accounts: Command, { dependencies }: CommandSetup): void {
  accounts
    .command('grant')
    .description('add credit to an account; a running gateway uses it when it next needs money')
    .argument('<id>', 'the account ID, as the list shows it')
    .argument('<usd>', 'amount in USD, such as 10 or 0.25')
    .option('--note <text>', 'note to store with the entry')
    .option('--idempotency-key <key>', KEY_HELP)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  switchyard accounts grant acme 10
  switchyard accounts grant acme 250.50 --note 'invoice 4711' --idempotency-key invoice-4711`,
    )
    .action(async (accountId: string, usd: string, options: ChangeOptions, command) => {
      await change(dependencies, command, { kind: 'grant', accountId, usd, ...options }, options.json === true);
    });
}

export function addAdjust(accounts: Command, { dependencies }: CommandSetup): void {
  accounts
    .command('adjust')
    .description("correct an account's balance, up or down; never by more than is available")
    .argument('<id>', 'the account ID, as the list shows it')
    .argument('<usd>', 'signed amount in USD: +2.5 or -2.5')
    .requiredOption('--note <text>', 'note to store with the entry')
    .option('--idempotency-key <key>', KEY_HELP)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  switchyard accounts adjust acme -2.5 --note 'granted twice by mistake'
  switchyard accounts adjust acme +0.10 --note 'goodwill for the outage of Monday'`,
    )
    .action(async (accountId: string, usd: string, options: ChangeOptions, command) => {
      await change(dependencies, command, { kind: 'adjustment', accountId, usd, ...options }, options.json === true);
    });
}

async function change(
  dependencies: CommandLineDependencies,
  command: Command,
  wanted: BalanceChange,
  asJson: boolean,
): Promise<void> {
  const { clock, stdout, environment } = dependencies;
  const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
  const done = await withStore(dependencies, settings, (store) => changeBalance(store, clock, wanted));
  stdout.write(asJson ? `${JSON.stringify(changeAsJson(wanted, done), null, 2)}\n` : describeChange(wanted, done));
}

function changeAsJson({ kind, accountId }: BalanceChange, { amountNanoUsd, alreadyMade, balance }: ChangedBalance) {
  return {
    account: accountId,
    kind,
    amount_usd: formatNanoUsd(amountNanoUsd),
    already_made: alreadyMade,
    ...balanceView(balance),
  };
}

function describeChange({ kind, accountId }: BalanceChange, { amountNanoUsd, alreadyMade, balance }: ChangedBalance) {
  const now = `its balance is ${dollars(balance.balanceNanoUsd)}`;
  if (alreadyMade) return `already done with this idempotency key; nothing changed, and ${now}\n`;
  const amount = dollars(amountNanoUsd);
  return kind === 'grant'
    ? `granted ${amount} to ${accountId}; ${now}\n`
    : `adjusted ${accountId} by ${amount}; ${now}\n`;
}
