import type { Command } from 'commander';
import { createKey } from '../../../engine/admin/keys/change-keys.ts';
import { DEFAULT_ACCOUNT_ID } from '../../../engine/admin/keys/ensure-first-key.ts';
import { keyView } from '../../../engine/admin/keys/read-keys.ts';
import { isoTime } from '../../../engine/admin/view-fields.ts';
import { type CommandSetup, withDirectory } from '../context.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { type BudgetOptions, parseBudget, pointInTime, wholeNumber } from '../values.ts';

interface CreateOptions extends BudgetOptions {
  readonly id?: string;
  readonly account: string;
  readonly name?: string;
  readonly limitUsd?: string;
  readonly models?: string;
  readonly expires?: number;
  readonly requestsPerMinute?: number;
  readonly management?: boolean;
  readonly scopes?: string;
  readonly json?: boolean;
}

export function addCreate(keys: Command, { dependencies }: CommandSetup): void {
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
      pointInTime(dependencies.clock.nowMs()),
    )
    .option('--requests-per-minute <number>', "limit of this key, besides the account's", wholeNumber)
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
    .action(async (options: CreateOptions, command) => {
      const { clock, stdout, stderr, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const [models, scopes] = [options.models, options.scopes].map(listIn);
      const owner = { accountId: options.account, kind: options.management ? 'management' : 'inference' } as const;
      const { secret, credential } = await withDirectory(dependencies, settings, (directory) =>
        createKey(directory, clock, owner, {
          id: options.id,
          name: options.name,
          limit_usd: options.limitUsd,
          budget: parseBudget(options),
          models,
          scopes,
          requests_per_minute: options.requestsPerMinute,
          expires_at: options.expires === undefined ? undefined : isoTime(options.expires),
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
