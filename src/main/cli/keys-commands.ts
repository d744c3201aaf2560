import { type Command, InvalidArgumentError } from 'commander';
import { compareText } from '../../domain/text/compare-text.ts';
import { createKey, revokeKey, rotateKey } from '../../engine/admin/keys/change-keys.ts';
import { DEFAULT_ACCOUNT_ID } from '../../engine/admin/keys/ensure-first-key.ts';
import { keyState, keyView, type ListedKey, listedKeyView, listKeys } from '../../engine/admin/keys/read-keys.ts';
import { allItems } from '../../engine/admin/page.ts';
import { isoTime as exactTime } from '../../engine/admin/view-fields.ts';
import { type CommandSetup, withDirectory, withStore } from './context.ts';
import { withDirectoryInForce } from './in-force.ts';
import { formatTable } from './table.ts';
import { isoTime } from './time.ts';
import {
  type BudgetOptions,
  dollars,
  formatBudget,
  lengthOfTime,
  parseBudget,
  pointInTime,
  wholeNumber,
} from './values.ts';

export function addKeysCommands(setup: CommandSetup): void {
  const keys = setup.program.command('keys').description('create, list, rotate and revoke API keys');
  keys.addHelpText(
    'after',
    `
Examples:
  switchyard keys create --account acme --limit-usd 5
  switchyard keys list
  switchyard keys revoke 'sk-ab…wxyz'`,
  );
  for (const add of [addCreate, addList, addRotate, addRevoke]) add(keys, setup);
}

interface CreateOptions extends BudgetOptions {
  readonly id?: string;
  readonly account: string;
  readonly name?: string;
  readonly limitUsd?: string;
  readonly models?: string;
  readonly expires?: number;
  readonly requestsPerMinute?: number;
  readonly usageAccess?: string;
  readonly capture?: string;
  readonly management?: boolean;
  readonly scopes?: string;
  readonly json?: boolean;
}

function addCreate(keys: Command, setup: CommandSetup): void {
  keys
    .command('create')
    .description('create a key and print its secret, which is not shown again')
    .option('--account <id>', 'the account of the key', DEFAULT_ACCOUNT_ID)
    .option('--id <id>', 'its ID in the account; repeating the command with it changes nothing (random)')
    .option('--name <name>', 'display name')
    .option('--limit-usd <amount>', 'total spending limit, such as 5 or 0.25')
    .option('--budget <usd/period>', 'spending limit per day, week or month, such as 2/day (no budget)')
    .option('--budget-time-zone <zone>', 'time zone in which a period begins, such as Europe/Berlin (UTC)')
    .option('--models <ids>', 'only these models: comma-separated IDs; * matches any characters')
    .option(
      '--expires <when>',
      'expiry: 2027-01-01, 2027-01-01T12:00:00Z, or from now: 30d, 12h, 90m',
      pointInTime(setup.dependencies.clock.nowMs()),
    )
    .option('--requests-per-minute <number>', "limit of this key, besides the account's", wholeNumber)
    .option('--usage-access <what>', 'what it may read of spending and balance: none, key or account (key)')
    .option('--capture <mode>', "full or none: store its requests and responses or not (as the account's)")
    .option('--management', 'a management token (mt-) instead of an inference key (sk-)')
    .option('--scopes <scopes>', 'scopes of the token: usage:read,keys:write; *:read reads everything (*, everything)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Only the secret goes to standard output, so that a script can read it.

Examples:
  switchyard keys create --name laptop
  switchyard keys create --account acme --limit-usd 5 --models 'gpt-4o-mini,claude-*'
  switchyard keys create --account acme --expires 30d --requests-per-minute 10
  switchyard keys create --account acme --management --scopes usage:read,keys:write
  KEY=$(switchyard keys create --account ci)`,
    )
    .action(async (options: CreateOptions) => {
      const { clock, stdout, stderr } = setup.dependencies;
      const [models, scopes] = [options.models, options.scopes].map(listIn);
      const owner = { accountId: options.account, kind: options.management ? 'management' : 'inference' } as const;
      const { secret, credential } = await withDirectory(setup, (directory) =>
        createKey(directory, clock, owner, {
          id: options.id,
          name: options.name,
          limit_usd: options.limitUsd,
          budget: parseBudget(options),
          models,
          scopes,
          requests_per_minute: options.requestsPerMinute,
          usage_access: options.usageAccess,
          capture: options.capture,
          expires_at: options.expires === undefined ? undefined : exactTime(options.expires),
        }),
      );
      if (options.json) {
        stdout.write(`${JSON.stringify({ ...keyView(credential, clock.nowMs()), secret }, null, 2)}\n`);
        return;
      }
      if (secret === null) {
        stderr.write(`Key ${credential.id} already exists with the same content; its secret is not shown again\n`);
        return;
      }
      stderr.write(`Key ${credential.id} of account ${credential.accountId}. Its secret is not shown again:\n`);
      stdout.write(`${secret}\n`);
    });
}

function listIn(text: string | undefined): readonly string[] | undefined {
  return text?.split(',').map((one) => one.trim());
}

function addList(keys: Command, setup: CommandSetup): void {
  keys
    .command('list')
    .description('list keys with their spending and last use, for all accounts or one')
    .option('--account <id>', 'only the keys of this account')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  switchyard keys list\n  switchyard keys list --account acme --json')
    .action(async (options: { account?: string; json?: boolean }) => {
      const { clock, stdout } = setup.dependencies;
      const nowMs = clock.nowMs();
      const listed = await withStore(setup, (store) =>
        allItems((page) => listKeys(store, { ...page, accountId: options.account })),
      );
      const found = listed.toSorted(byAge);
      if (options.json) {
        const views = found.map((key) => listedKeyView(key, nowMs));
        stdout.write(`${JSON.stringify(views, null, 2)}\n`);
      } else if (found.length === 0) stdout.write('No keys yet. Create one with "switchyard keys create".\n');
      else {
        const rows = found.map((key) => listedAsRow(key, nowMs));
        stdout.write(formatTable(KEY_COLUMNS, rows));
      }
    });
}

const KEY_COLUMNS = [
  'id',
  'account',
  'name',
  'preview',
  'spent',
  'limit',
  'budget',
  'models',
  'requests/min',
  'state',
  'last used',
  'expires',
  'created',
];

function listedAsRow({ credential: key, spentNanoUsd, lastUsedAtMs }: ListedKey, nowMs: number): readonly string[] {
  return [
    key.id,
    key.accountId,
    key.name,
    key.preview,
    dollars(spentNanoUsd),
    key.limitNanoUsd === null ? '-' : dollars(key.limitNanoUsd),
    formatBudget(key.budget),
    key.models === null ? 'all' : key.models.join(','),
    String(key.requestsPerMinute ?? '-'),
    keyState(key, nowMs),
    lastUsedAtMs === null ? 'never' : isoTime(lastUsedAtMs),
    key.expiresAtMs === null ? 'never' : isoTime(key.expiresAtMs),
    isoTime(key.createdAtMs),
  ];
}

/** Compares keys by age, the oldest first. */
function byAge({ credential: one }: ListedKey, { credential: other }: ListedKey): number {
  const labelOf = ({ accountId, id }: ListedKey['credential']) => `${accountId}/${id}`;
  return one.createdAtMs - other.createdAtMs || compareText(labelOf(one), labelOf(other));
}

function addRevoke(keys: Command, setup: CommandSetup): void {
  keys
    .command('revoke')
    .description('revoke a key permanently; a running gateway refuses it at once')
    .argument('<key>', 'its ID, account/ID, preview as the list shows it, or whole secret')
    .addHelpText(
      'after',
      `
Examples:
  switchyard keys revoke key_4fW9sQ2mLx
  switchyard keys revoke 'sk-ab…wxyz'
  switchyard keys revoke acme/ci`,
    )
    .action(async (selector: string) => {
      const { clock, stdout } = setup.dependencies;
      const { credential, alreadyRevoked } = await withDirectoryInForce(setup, (directory) =>
        revokeKey(directory, clock, selector),
      );
      const label = `${credential.accountId}/${credential.id} (${credential.preview})`;
      const since = credential.revokedAtMs === null ? '' : ` since ${isoTime(credential.revokedAtMs)}`;
      stdout.write(alreadyRevoked ? `${label} is already revoked${since}; nothing changed\n` : `revoked ${label}\n`);
    });
}

function addRotate(keys: Command, setup: CommandSetup): void {
  keys
    .command('rotate')
    .description('give a key a new secret and print it; the old one ends at once, or after --grace')
    .argument('<account/id>', 'the key as account/ID, as the list shows it', placeOf)
    .option('--grace <time>', 'how long the old secret stays valid: 24h, 90m; at most 30d (0)', lengthOfTime)
    .option('--management', 'a management token (mt-) instead of an inference key (sk-)')
    .addHelpText(
      'after',
      `
Only the secret goes to standard output, so that a script can read it. Limits and spending stay.

Examples:
  switchyard keys rotate acme/ci
  switchyard keys rotate acme/ci --grace 24h
  TOKEN=$(switchyard keys rotate acme/ops --management)`,
    )
    .action(async (place: Place, options: { management?: boolean; grace?: number }) => {
      const { clock, stdout, stderr } = setup.dependencies;
      const kind = options.management ? 'management' : 'inference';
      const { secret, credential } = await withDirectoryInForce(setup, (directory) =>
        rotateKey(directory, clock, { ...place, kind }, { grace_seconds: (options.grace ?? 0) / 1_000 }),
      );
      stderr.write(`Key ${credential.id} of account ${credential.accountId}. Its new secret is not shown again:\n`);
      const { endsAtMs = 0 } = credential.previousSecret ?? {};
      if (endsAtMs > 0) stderr.write(`The old secret is valid until ${isoTime(endsAtMs)}.\n`);
      stdout.write(`${secret}\n`);
    });
}

interface Place {
  readonly accountId: string;
  readonly id: string;
}

function placeOf(text: string): Place {
  const [accountId, id, ...more] = text.split('/');
  if (!accountId || !id || more.length > 0) throw new InvalidArgumentError('It must be an account and an ID: acme/ci.');
  return { accountId, id };
}
