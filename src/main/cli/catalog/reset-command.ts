import type { Command } from 'commander';
import type { SyncedModel } from '../../../domain/catalog/synced-model.ts';
import { CatalogContents } from '../../../engine/admin/catalog/read-catalog.ts';
import { type DirectoryStore, SERVING_ONLY } from '../../../engine/ports/directory-store.ts';
import { resetCatalog, type SyncedSelection, selectSynced } from '../../../engine/price-lists/sync-catalog.ts';
import { type CommandLineDependencies, type CommandSetup, withDirectory } from '../context.ts';
import { printable } from '../table.ts';
import { isConfirmed, type Terminal } from '../terminal.ts';
import { checkProvider } from './check-provider.ts';
import { formatFacts, formatSource } from './format.ts';

interface ResetOptions {
  readonly provider?: string;
  readonly yes?: boolean;
}

const SHOWN_MODELS = 60;

export function addReset(catalog: Command, setup: CommandSetup, terminal: Terminal | null): void {
  catalog
    .command('reset')
    .description('discard prices and facts synced from public lists, for one model or all')
    .argument('[id]', "only this model: the provider's ID, as the list shows it")
    .option('--provider <name>', 'only models of this provider')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      `
Models that came with the gateway return to their shipped prices and facts; others are removed. What a
configuration file or an admin has set stays.

Examples:
  switchyard catalog reset gpt-4o-mini
  switchyard catalog reset --provider groq --yes`,
    )
    .action(async (id: string | undefined, options: ResetOptions) => {
      checkProvider(await setup.dependencies.providers(), options.provider);
      const selection = { provider: options.provider ?? null, id: id ?? null };
      await withDirectory(setup, (directory) =>
        runReset({ selection, isSure: options.yes === true, directory, dependencies: setup.dependencies, terminal }),
      );
    });
}

interface Run {
  readonly selection: SyncedSelection;
  readonly isSure: boolean;
  readonly directory: DirectoryStore;
  readonly dependencies: CommandLineDependencies;
  readonly terminal: Terminal | null;
}

async function runReset({ selection, isSure, directory, dependencies, terminal }: Run): Promise<void> {
  const { stdout, providers } = dependencies;
  const contents = new CatalogContents(await providers(), await directory.read(SERVING_ONLY));
  const rows = selectSynced(contents.rows.syncedModels, selection);
  if (rows.length === 0) {
    if (selection.id !== null && !contents.has(selection.id)) throw contents.unknownModel(selection.id);
    stdout.write('nothing was synced from a list; nothing changed\n');
    return;
  }
  stdout.write(formatPlan(rows, contents));
  const models = rows.length === 1 ? 'this model' : `these ${rows.length} models`;
  if (isSure || (terminal !== null && (await isConfirmed(terminal, `Discard synced prices and facts of ${models}?`)))) {
    const taken = await resetCatalog(directory, selection);
    stdout.write(
      `reset ${taken.length} ${taken.length === 1 ? 'model' : 'models'}; a running gateway uses this at once\n`,
    );
  } else if (terminal === null) {
    stdout.write(`nothing changed; add --yes to reset ${models}\n`);
  } else {
    stdout.write('nothing changed\n');
  }
}

function formatPlan(rows: readonly SyncedModel[], contents: CatalogContents): string {
  const lines = rows.slice(0, SHOWN_MODELS).map((row) => {
    const what = contents.isShipped(row)
      ? `back to shipped values: ${formatFacts(row)}`
      : 'removed: known only from a list';
    return `${row.provider} ${row.id}  ${what} (from ${formatSource(row.source)})`;
  });
  if (rows.length > lines.length) lines.push(`… and ${rows.length - lines.length} more`);
  return lines.map((line) => `${printable(line)}\n`).join('');
}
