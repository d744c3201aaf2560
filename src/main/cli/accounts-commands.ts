import type { Command } from 'commander';
import { ROLES } from '../../domain/access/account.ts';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import {
  archiveAccount,
  type CreatedAccount,
  createAccount,
  restoreAccount,
} from '../../engine/admin/accounts/change-accounts.ts';
import { accountView, balanceView, showAccount } from '../../engine/admin/accounts/read-accounts.ts';
import { localOrigin } from '../../engine/admin/audit/audit-trail.ts';
import {
  type AccountErasurePorts,
  accountErasureView,
  eraseAccount,
} from '../../engine/admin/erasure/erase-account.ts';
import { type BalanceChange, type ChangedBalance, changeBalance } from '../../engine/admin/ledger/change-ledger.ts';
import { DEFAULT_CACHE } from '../../engine/settings/settings.ts';
import { addBalance, addList } from './balance-commands.ts';
import { type CommandSetup, configurationFrom, openStore, withDirectory, withStore } from './context.ts';
import { withDirectoryInForce } from './in-force.ts';
import { masterSecret } from './master-secret.ts';
import { systemUser } from './system-user.ts';
import { type BudgetOptions, dollars, parseBudget, wholeNumber } from './values.ts';

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
  readonly captureDays?: number;
  readonly json?: boolean;
}

function addCreate(accounts: Command, setup: CommandSetup): void {
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
    .option('--capture-days <days>', 'how long they are stored, if shorter than for other accounts', wholeNumber)
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
    .action(async (id: string, options: CreateOptions) => {
      const { clock, stdout } = setup.dependencies;
      const made = await withStore(setup, (store) => createAccount(store, clock, inputOf(id, options)));
      stdout.write(
        options.json ? `${JSON.stringify(accountView(made, clock.nowMs()), null, 2)}\n` : describeCreated(made),
      );
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
    capture_days: options.captureDays,
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

interface ChangeOptions {
  readonly note?: string;
  readonly idempotencyKey?: string;
  readonly json?: boolean;
}

const KEY_HELP = 'repeating the command with this key changes nothing; for example an invoice number';

function addGrant(accounts: Command, setup: CommandSetup): void {
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
    .action(async (accountId: string, usd: string, options: ChangeOptions) => {
      await change(setup, { kind: 'grant', accountId, usd, ...options }, options.json === true);
    });
}

function addAdjust(accounts: Command, setup: CommandSetup): void {
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
    .action(async (accountId: string, usd: string, options: ChangeOptions) => {
      await change(setup, { kind: 'adjustment', accountId, usd, ...options }, options.json === true);
    });
}

async function change(setup: CommandSetup, wanted: BalanceChange, asJson: boolean): Promise<void> {
  const { clock, stdout } = setup.dependencies;
  const done = await withStore(setup, (store) => changeBalance(store, clock, wanted));
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

function addShow(accounts: Command, setup: CommandSetup): void {
  accounts
    .command('show')
    .description('print everything known about an account, as JSON')
    .argument('<id>', 'the account ID, as the list shows it')
    .addHelpText('after', '\nExamples:\n  switchyard accounts show acme')
    .action(async (id: string) => {
      const { stdout, clock } = setup.dependencies;
      const found = await withStore(setup, (store) => showAccount(store, id));
      stdout.write(`${JSON.stringify(accountView(found, clock.nowMs()), null, 2)}\n`);
    });
}

function addArchive(accounts: Command, setup: CommandSetup): void {
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
    .action(async (id: string) => {
      const { clock, stdout } = setup.dependencies;
      const { changed } = await withDirectoryInForce(setup, (directory) => archiveAccount(directory, clock, id));
      stdout.write(
        changed.length === 0
          ? `${id} is already archived; nothing changed\n`
          : `archived ${id}: its keys are refused; "switchyard accounts restore ${id}" undoes it\n`,
      );
    });
}

function addRestore(accounts: Command, setup: CommandSetup): void {
  accounts
    .command('restore')
    .description('restore an archived account: its keys are accepted again')
    .argument('<id>', 'the account ID, as the list shows it')
    .addHelpText('after', '\nExamples:\n  switchyard accounts restore acme')
    .action(async (id: string) => {
      const { stdout } = setup.dependencies;
      const { changed } = await withDirectory(setup, (directory) => restoreAccount(directory, id));
      stdout.write(changed.length === 0 ? `${id} is not archived; nothing changed\n` : `restored ${id}\n`);
    });
}

function addErase(accounts: Command, setup: CommandSetup): void {
  accounts
    .command('erase')
    .description("erase an archived account's data and names; its ledger stays")
    .argument('<id>', 'the account ID, as the list shows it')
    .option('--yes', 'erase; without it the command only lists what would be removed')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Archive the account first. Its members are not erased: see "switchyard users erase".

Examples:
  switchyard accounts archive acme
  switchyard accounts erase acme
  switchyard accounts erase acme --yes`,
    )
    .action(async (id: string, { yes = false, json = false }: { yes?: boolean; json?: boolean }) => {
      const { stdout } = setup.dependencies;
      const by = { origin: localOrigin({ kind: 'command_line', name: systemUser() }) };
      const done = await withErasurePorts(setup, (ports) => eraseAccount(ports, by, id, { dryRun: !yes }));
      const view = accountErasureView(done);
      stdout.write(json ? `${JSON.stringify(view, null, 2)}\n` : told(view));
    });
}

/** Opens the places that hold an account's data: the store, the shared part of the cache, and the media store. */
async function withErasurePorts<Result>(
  { dependencies, settings }: CommandSetup,
  use: (ports: AccountErasurePorts) => Promise<Result>,
): Promise<Result> {
  const { clock, openCache, openMedia } = dependencies;
  const { dataDirectory, redisUrl } = settings;
  const configuration = await configurationFrom(dependencies, settings.configurationPath);
  const store = await openStore(dependencies, settings, { exclusive: false });
  try {
    const secret = await masterSecret(settings);
    const cache = await openCache({ settings: configuration?.cache ?? DEFAULT_CACHE, dataDirectory, redisUrl, secret });
    const mediaStore = openMedia({ configuration, dataDirectory, secret });
    try {
      return await use({ ...store, cache, mediaStore, clock });
    } finally {
      await Promise.all([cache.close(), mediaStore.close()]);
    }
  } finally {
    await store.close();
  }
}

function told({ id, pseudonym, removed, hidden }: ReturnType<typeof accountErasureView>): string {
  const counts = Object.entries({ ...removed, ...hidden }).filter(([, count]) => count !== null && count > 0);
  const lines = counts.map(([name, count]) => `  ${name.replaceAll('_', ' ')}: ${count}\n`).join('');
  if (pseudonym === null) return `nothing changed; add --yes to erase ${id}:\n${lines}`;
  return `erased ${id}; its names and notes are now ${pseudonym}:\n${lines}`;
}
