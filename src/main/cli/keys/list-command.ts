import type { Command } from 'commander';
import { compareText } from '../../../domain/text/compare-text.ts';
import { keyState, type ListedKey, listedKeyView, listKeys } from '../../../engine/admin/keys/read-keys.ts';
import { allItems } from '../../../engine/admin/page.ts';
import { type CommandSetup, withStore } from '../context.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { formatTable } from '../table.ts';
import { isoTime } from '../time.ts';
import { dollars, formatBudget } from '../values.ts';

export function addList(keys: Command, { dependencies }: CommandSetup): void {
  keys
    .command('list')
    .description('list keys with their spending and last use, for all accounts or one')
    .option('--account <id>', 'only the keys of this account')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  switchyard keys list\n  switchyard keys list --account acme --json')
    .action(async (options: { account?: string; json?: boolean }, command) => {
      const { clock, stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const nowMs = clock.nowMs();
      const listed = await withStore(dependencies, settings, (store) =>
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
