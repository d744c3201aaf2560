import type { Command } from 'commander';
import { clearCache } from '../../../engine/admin/cache/change-cache.ts';
import type { CommandSetup } from '../context.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { isConfirmed, type Terminal } from '../terminal.ts';
import { withCache } from './with-cache.ts';

export function addClear(cache: Command, { dependencies }: CommandSetup, terminal: Terminal | null): void {
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
    .action(async ({ account = null, yes = false }: { account?: string | null; yes?: boolean }, command) => {
      const { stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const what = account === null ? 'all entries' : `the entries of ${account}`;
      if (!yes && (terminal === null || !(await isConfirmed(terminal, `Remove ${what}?`)))) {
        const how = terminal === null ? `; add --yes to remove ${what}` : '';
        stdout.write(`nothing changed${how}\n`);
        return;
      }
      const removed = await withCache(dependencies, settings, (opened) => clearCache(opened, account));
      stdout.write(`removed ${removed} ${removed === 1 ? 'entry' : 'entries'}\n`);
    });
}
