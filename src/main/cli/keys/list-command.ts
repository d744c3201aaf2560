import type { Command } from 'commander';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { type ListedKey, listKeys } from '../../../engine/admin/keys/list-keys.ts';
import { type CommandSetup, withStore } from '../context.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { formatTable } from '../table.ts';
import { isoTime } from '../time.ts';
import { dollars } from '../values.ts';
import { keyAsJson, stateOf, timeOrNull } from './words.ts';

export function addList(keys: Command, { dependencies }: CommandSetup): void {
  keys
    .command('list')
    .description('list the keys of all accounts, or of one: what they have spent, and when they were last used')
    .option('--account <id>', 'only the keys of this account')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  switchyard keys list\n  switchyard keys list --account acme --json')
    .action(async (options: { account?: string; json?: boolean }, command) => {
      const { clock, stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const nowMs = clock.nowMs();
      const found = await withStore(dependencies, settings, (store) => listKeys(store, options.account));
      if (options.json) {
        const listed = found.map((key) => listedAsJson(key, nowMs));
        stdout.write(`${JSON.stringify(listed, null, 2)}\n`);
      } else if (found.length === 0) stdout.write('There are no keys. "switchyard keys create" makes one.\n');
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
    key.models === null ? 'all' : key.models.join(','),
    String(key.requestsPerMinute ?? '-'),
    stateOf(key, nowMs),
    timeOrNull(lastUsedAtMs) ?? 'never',
    timeOrNull(key.expiresAtMs) ?? 'never',
    isoTime(key.createdAtMs),
  ];
}

function listedAsJson({ credential, spentNanoUsd, lastUsedAtMs }: ListedKey, nowMs: number) {
  return {
    ...keyAsJson(credential, nowMs),
    spent_usd: formatNanoUsd(spentNanoUsd),
    last_used_at: timeOrNull(lastUsedAtMs),
  };
}
