import type { Command } from 'commander';
import { invalidateCacheEntry } from '../../../engine/admin/cache/change-cache.ts';
import {
  cacheEntryView,
  listCacheEntries,
  showCacheEntry,
  shownCacheEntryView,
  type WantedEntries,
} from '../../../engine/admin/cache/read-cache.ts';
import type { CacheEntrySummary } from '../../../engine/ports/cache-store.ts';
import type { CommandSetup } from '../context.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { formatFields, formatTable } from '../table.ts';
import { roundDuration } from '../time.ts';
import { wholeNumber } from '../values.ts';
import { withCache } from './with-cache.ts';

export function addList(cache: Command, { dependencies }: CommandSetup): void {
  cache
    .command('list')
    .description('list entries, newest first, without prompts and responses')
    .option('--account <id>', "only entries created by this account's requests")
    .option('--limit <number>', 'maximum number to list, up to 1000 (50)', wholeNumber)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  switchyard cache list\n  switchyard cache list --account acme --limit 10 --json',
    )
    .action(async ({ json, ...wanted }: WantedEntries & { readonly json?: boolean }, command) => {
      const { stdout, environment, clock } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const { items: found } = await withCache(dependencies, settings, (opened) => listCacheEntries(opened, wanted));
      if (json) stdout.write(`${JSON.stringify(found.map(cacheEntryView), null, 2)}\n`);
      else if (found.length === 0) stdout.write('No entries found.\n');
      else
        stdout.write(
          formatTable(
            COLUMNS,
            found.map((entry) => asRow(entry, clock.nowMs())),
          ),
        );
    });
}

const COLUMNS = ['entry', 'age', 'ends in', 'account', 'model', 'channel', 'bytes', 'for'];

function asRow(entry: CacheEntrySummary, nowMs: number): readonly string[] {
  return [
    entry.id,
    roundDuration(nowMs - entry.storedAtMs),
    roundDuration(entry.expiresAtMs - nowMs),
    entry.accountId,
    entry.modelId,
    entry.channel.id,
    String(entry.bytes),
    `${entry.isSemantic ? 'equivalent' : 'equal'} requests${entry.isShared ? ' of all' : ''}`,
  ];
}

export function addShow(cache: Command, { dependencies }: CommandSetup): void {
  cache
    .command('show')
    .description('print everything known about an entry, without prompt and response')
    .argument('<id>', 'the entry ID, from the response header x-cache-entry-id')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  switchyard cache show ce_4fW9sQ2mLxTb6Yd0Kc1Vn8Hr3Jp5Ze7A')
    .action(async (id: string, { json }: { json?: boolean }, command) => {
      const { stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const view = shownCacheEntryView(
        await withCache(dependencies, settings, (opened) => showCacheEntry(opened, id, null)),
      );
      stdout.write(json ? `${JSON.stringify(view, null, 2)}\n` : formatFields(view));
    });
}

export function addInvalidate(cache: Command, { dependencies }: CommandSetup): void {
  cache
    .command('invalidate')
    .description('invalidate an entry on all nodes, as enough client reports do')
    .argument('<id>', 'the entry ID, as the list or a report shows it')
    .addHelpText(
      'after',
      `
For cache.feedback.block_minutes nothing is cached for the same request; its next response comes from a channel.

Examples:
  switchyard cache invalidate ce_4fW9sQ2mLxTb6Yd0Kc1Vn8Hr3Jp5Ze7A`,
    )
    .action(async (id: string, _options: object, command) => {
      const { stdout, environment, clock } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const blocked = await withCache(dependencies, settings, async (opened) => {
        await invalidateCacheEntry(opened, { clock, settings: opened.cacheSettings }, id, null);
        return opened.cacheSettings.feedback.blockMs;
      });
      const time = roundDuration(blocked);
      stdout.write(`invalidated ${id}; nothing is cached for the same request for ${time}\n`);
    });
}
