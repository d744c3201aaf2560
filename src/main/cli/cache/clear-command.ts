import type { Command } from 'commander';
import { clearCache } from '../../../engine/admin/cache/clear-cache.ts';
import type { CommandSetup } from '../context.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { isConfirmed, type Terminal } from '../terminal.ts';
import { withCache } from './with-cache.ts';

export function addClear(cache: Command, { dependencies }: CommandSetup, terminal: Terminal | null): void {
  cache
    .command('clear')
    .description('remove all entries, or those of one account, on all nodes')
    .option('--account <id>', 'only what the requests of this account have made')
    .option('--yes', 'do it without asking')
    .addHelpText(
      'after',
      `
Unlike an entry that is invalidated, what is removed may be kept again by the next request. Reports stay.

Examples:
  switchyard cache clear --account acme
  switchyard cache clear --yes`,
    )
    .action(async ({ account = null, yes = false }: { account?: string | null; yes?: boolean }, command) => {
      const { stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const what = account === null ? 'all entries' : `the entries of ${account}`;
      if (!yes && (terminal === null || !(await isConfirmed(terminal, `Remove ${what}?`)))) {
        const how = terminal === null ? `; the same command with --yes removes ${what}` : '';
        stdout.write(`nothing was changed${how}\n`);
        return;
      }
      const removed = await withCache(dependencies, settings, (opened) => clearCache(opened, account));
      stdout.write(`removed ${removed} ${removed === 1 ? 'entry' : 'entries'}\n`);
    });
}
