import type { Command } from 'commander';
import { cacheStatisticsView } from '../../../engine/admin/cache/read-cache.ts';
import type { CommandSetup } from '../context.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { formatFields } from '../table.ts';
import { withCache } from './with-cache.ts';

export function addStats(cache: Command, { dependencies }: CommandSetup): void {
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
    .action(async ({ json }: { json?: boolean }, command) => {
      const { stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const view = await withCache(dependencies, settings, async ({ beyond, cacheSettings }) =>
        cacheStatisticsView(beyond, cacheSettings),
      );
      stdout.write(json ? `${JSON.stringify(view, null, 2)}\n` : formatFields(view));
    });
}
