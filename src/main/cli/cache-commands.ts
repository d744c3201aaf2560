import type { Command } from 'commander';
import type { AuditedStore } from '../../engine/admin/audit/audit-trail.ts';
import { clearCache, invalidateCacheEntry } from '../../engine/admin/cache/change-cache.ts';
import {
  cacheEntryView,
  cacheReportView,
  cacheStatisticsView,
  listCacheEntries,
  listCacheReports,
  showCacheEntry,
  shownCacheEntryView,
  type WantedEntries,
  type WantedReports,
} from '../../engine/admin/cache/read-cache.ts';
import type { CacheReport } from '../../engine/ports/cache-reports.ts';
import type { CacheEntrySummary, CacheStore, CacheStoreStatistics } from '../../engine/ports/cache-store.ts';
import { type CacheSettings, DEFAULT_CACHE } from '../../engine/settings/settings.ts';
import { CommandError } from './command-error.ts';
import { type CommandSetup, sectionOrDefault, withStore } from './context.ts';
import { masterSecret } from './master-secret.ts';
import { formatFields, formatTable } from './table.ts';
import { isConfirmed, processTerminal, type Terminal } from './terminal.ts';
import { roundDuration } from './time.ts';
import { wholeNumber } from './values.ts';

/**
 * Adds `switchyard cache`: cached answers, and clients' reports on them.
 *
 * @param terminal the terminal for confirmations, or `null`
 */
export function addCacheCommands(
  setup: CommandSetup,
  terminal: Terminal | null = processTerminal(setup.dependencies.stdout),
): void {
  const cache = setup.program.command('cache').description('list cached responses, and invalidate wrong ones');
  cache.addHelpText(
    'after',
    `
Examples:
  switchyard cache stats
  switchyard cache list --account acme
  switchyard cache reports
  switchyard cache invalidate ce_4fW9sQ2mLxTb6Yd0Kc1Vn8Hr3Jp5Ze7A`,
  );
  for (const add of [addStats, addList, addShow, addInvalidate]) add(cache, setup);
  addClear(cache, setup, terminal);
  addReports(cache, setup);
}

function addStats(cache: Command, setup: CommandSetup): void {
  cache
    .command('stats')
    .description('show how much the cache holds on disk or in Redis')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Memory per process, hits and misses are in the gateway's metrics (GET /metrics).

Examples:
  switchyard cache stats
  switchyard cache stats --json`,
    )
    .action(async ({ json }: { json?: boolean }) => {
      const { stdout } = setup.dependencies;
      const view = await withCache(setup, async ({ beyond, cacheSettings }) =>
        cacheStatisticsView(beyond, cacheSettings),
      );
      stdout.write(json ? `${JSON.stringify(view, null, 2)}\n` : formatFields(view));
    });
}

function addList(cache: Command, setup: CommandSetup): void {
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
    .action(async ({ json, ...wanted }: WantedEntries & { readonly json?: boolean }) => {
      const { stdout, clock } = setup.dependencies;
      const { items: found } = await withCache(setup, (opened) => listCacheEntries(opened, wanted));
      if (json) stdout.write(`${JSON.stringify(found.map(cacheEntryView), null, 2)}\n`);
      else if (found.length === 0) stdout.write('No entries found.\n');
      else
        stdout.write(
          formatTable(
            ENTRY_COLUMNS,
            found.map((entry) => entryRow(entry, clock.nowMs())),
          ),
        );
    });
}

const ENTRY_COLUMNS = ['entry', 'age', 'ends in', 'account', 'model', 'channel', 'bytes', 'for'];

function entryRow(entry: CacheEntrySummary, nowMs: number): readonly string[] {
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

function addShow(cache: Command, setup: CommandSetup): void {
  cache
    .command('show')
    .description('print everything known about an entry, without prompt and response')
    .argument('<id>', 'the entry ID, from the response header x-cache-entry-id')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  switchyard cache show ce_4fW9sQ2mLxTb6Yd0Kc1Vn8Hr3Jp5Ze7A')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const { stdout } = setup.dependencies;
      const view = shownCacheEntryView(await withCache(setup, (opened) => showCacheEntry(opened, id, null)));
      stdout.write(json ? `${JSON.stringify(view, null, 2)}\n` : formatFields(view));
    });
}

function addInvalidate(cache: Command, setup: CommandSetup): void {
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
    .action(async (id: string) => {
      const { stdout, clock } = setup.dependencies;
      const blocked = await withCache(setup, async (opened) => {
        await invalidateCacheEntry(opened, { clock, settings: opened.cacheSettings }, id, null);
        return opened.cacheSettings.feedback.blockMs;
      });
      const time = roundDuration(blocked);
      stdout.write(`invalidated ${id}; nothing is cached for the same request for ${time}\n`);
    });
}

/** The maximum length in a table row; the JSON output has the whole text. */
const SHOWN_DESCRIPTION = 60;

function addReports(cache: Command, setup: CommandSetup): void {
  cache
    .command('reports')
    .description('list client reports about cached responses, newest first')
    .option('--account <id>', "only reports by this account's keys")
    .option('--entry <id>', 'only reports about this entry, which may be gone')
    .option('--limit <number>', 'maximum number to list, up to 1000 (50)', wholeNumber)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The description is text from the client.

Examples:
  switchyard cache reports --account acme
  switchyard cache reports --entry ce_4fW9sQ2mLxTb6Yd0Kc1Vn8Hr3Jp5Ze7A --json`,
    )
    .action(async ({ json, ...wanted }: WantedReports & { readonly json?: boolean }) => {
      const { stdout, clock } = setup.dependencies;
      const { items: found } = await withStore(setup, (store) => listCacheReports(store, wanted));
      if (json) stdout.write(`${JSON.stringify(found.map(cacheReportView), null, 2)}\n`);
      else if (found.length === 0) stdout.write('No reports found.\n');
      else
        stdout.write(
          formatTable(
            REPORT_COLUMNS,
            found.map((report) => reportRow(report, clock.nowMs())),
          ),
        );
    });
}

const REPORT_COLUMNS = ['entry', 'age', 'account', 'key', 'model', 'type', 'invalidated', 'description'];

function reportRow(report: CacheReport, nowMs: number): readonly string[] {
  const { description } = report;
  const isLong = description.length > SHOWN_DESCRIPTION;
  return [
    report.entryId,
    roundDuration(nowMs - report.atMs),
    report.accountId,
    report.keyId,
    report.modelId,
    report.type,
    report.invalidatedAtMs === null ? '-' : `${roundDuration(nowMs - report.invalidatedAtMs)} ago`,
    isLong ? `${description.slice(0, SHOWN_DESCRIPTION)}…` : description,
  ];
}

function addClear(cache: Command, setup: CommandSetup, terminal: Terminal | null): void {
  cache
    .command('clear')
    .description('remove all entries, or those of one account, on all nodes')
    .option('--account <id>', "only entries created by this account's requests")
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      `
Unlike an invalidated entry, a removed one may be cached again by the next request. Reports stay.

Examples:
  switchyard cache clear --account acme
  switchyard cache clear --yes`,
    )
    .action(async ({ account = null, yes = false }: { account?: string | null; yes?: boolean }) => {
      const { stdout } = setup.dependencies;
      const what = account === null ? 'all entries' : `the entries of ${account}`;
      if (!yes && (terminal === null || !(await isConfirmed(terminal, `Remove ${what}?`)))) {
        const how = terminal === null ? `; add --yes to remove ${what}` : '';
        stdout.write(`nothing changed${how}\n`);
        return;
      }
      const removed = await withCache(setup, (opened) => clearCache(opened, account));
      stdout.write(`removed ${removed} ${removed === 1 ? 'entry' : 'entries'}\n`);
    });
}

interface OpenedCache extends Pick<AuditedStore, 'directory' | 'cacheReports' | 'trail'> {
  readonly cache: CacheStore;
  readonly beyond: NonNullable<CacheStoreStatistics['beyond']>;
  readonly cacheSettings: CacheSettings;
}

/**
 * Runs `use` on the part of the cache that a running gateway shares with other processes, then closes it. Throws `CommandError` if there is
 * none.
 */
async function withCache<Result>(setup: CommandSetup, use: (opened: OpenedCache) => Promise<Result>): Promise<Result> {
  const { dependencies, settings } = setup;
  const cacheSettings = await sectionOrDefault(setup, {
    section: 'cache',
    otherwise: DEFAULT_CACHE,
    notice: 'so the default cache settings are assumed',
  });
  return withStore(setup, async ({ directory, cacheReports, trail }) => {
    const { dataDirectory, redisUrl } = settings;
    const secret = await masterSecret(settings);
    const cache = await dependencies.openCache({ settings: cacheSettings, dataDirectory, redisUrl, secret });
    try {
      const { beyond } = cache.statistics();
      if (beyond === null) throw onlyInMemory(redisUrl);
      return await use({ directory, cacheReports, trail, cache, beyond, cacheSettings });
    } finally {
      await cache.close();
    }
  });
}

function onlyInMemory(redisUrl: string | null): CommandError {
  const setting = redisUrl === null ? 'disk_mb' : 'redis_mb';
  const problem = `cache.${setting} is 0, so entries are only in the gateway's memory: a restart clears them`;
  return new CommandError(problem, 1);
}
