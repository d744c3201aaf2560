import { addList } from './catalog/list-command.ts';
import { addReset } from './catalog/reset-command.ts';
import { addShow } from './catalog/show-command.ts';
import { addSync } from './catalog/sync-command.ts';
import type { CommandSetup } from './context.ts';
import { processTerminal, type Terminal } from './terminal.ts';

/** @param terminal the terminal for confirmations, or `null` */
export function addCatalogCommands(
  setup: CommandSetup,
  terminal: Terminal | null = processTerminal(setup.dependencies.stdout),
): void {
  const catalog = setup.program.command('catalog').description('list known models, and sync prices with a public list');
  catalog.addHelpText(
    'after',
    `
Examples:
  switchyard catalog list --category image
  switchyard catalog show gpt-4o-mini
  switchyard catalog sync --from https://models.dev/api.json --check
  switchyard catalog reset gpt-4o-mini`,
  );
  addSync(catalog, setup, terminal);
  addList(catalog, setup);
  addShow(catalog, setup);
  addReset(catalog, setup, terminal);
}
