import { addClear } from './cache/clear-command.ts';
import { addInvalidate, addList, addShow } from './cache/entry-commands.ts';
import { addReports } from './cache/reports-command.ts';
import { addStats } from './cache/stats-command.ts';
import type { CommandSetup } from './context.ts';
import { processTerminal, type Terminal } from './terminal.ts';

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
