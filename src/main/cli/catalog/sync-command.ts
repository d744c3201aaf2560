import type { Command } from 'commander';
import type { PriceListKind } from '../../../engine/catalogue/listed-model.ts';
import { parsePriceList } from '../../../engine/catalogue/price-list.ts';
import {
  type CatalogueSync,
  planSync,
  type SyncRequest,
  syncCatalogue,
} from '../../../engine/catalogue/sync-catalogue.ts';
import type { DirectoryStore } from '../../../engine/ports/directory-store.ts';
import { Catalogue } from '../../../engine/shared/catalogue.ts';
import { CommandError } from '../command-error.ts';
import { type CommandLineDependencies, type CommandSetup, withDirectory } from '../context.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { printable } from '../table.ts';
import { isoTime } from '../time.ts';
import { wholeNumber } from '../values.ts';
import { ownStatements } from './own-statements.ts';
import { listPlace, readList } from './read-list.ts';
import { changesInWords, countOf, type SyncReport, syncAsJson } from './sync-report.ts';
import { isConfirmed, type Terminal } from './terminal.ts';

interface SyncOptions {
  readonly from: string;
  readonly yes?: boolean;
  readonly add?: boolean;
  readonly check?: boolean;
  readonly json?: boolean;
  readonly lines?: number;
}

const DEFAULT_LINES = 60;

/** Where a list is published that was read from a file. */
const PUBLISHED: Readonly<Record<PriceListKind, string>> = {
  litellm: 'https://github.com/BerriAI/litellm',
  'models.dev': 'https://models.dev',
};

export function addSync(catalog: Command, { dependencies }: CommandSetup, terminal: Terminal | null): void {
  catalog
    .command('sync')
    .description('take over prices and facts of models from a public list, after showing what would change')
    .requiredOption(
      '--from <place>',
      "LiteLLM's model_prices_and_context_window.json or models.dev's api.json: file or URL",
    )
    .option('--yes', 'take the changes over without asking')
    .option('--add', 'also add models that the catalogue does not have')
    .option('--check', 'only show what would change; never ask, change nothing')
    .option('--lines <number>', `how many lines of changes to show at the most (${DEFAULT_LINES})`, wholeNumber)
    .option('--json', 'print JSON; changes nothing without --yes')
    .addHelpText(
      'after',
      `
What a configuration or an operator states of a model stays in force. A list's price goes before the shipped one until a
release of the gateway knows a newer one. A model that is added is served once a channel names it. A running gateway uses
what was taken over at once; "switchyard catalog reset" takes it back.

Examples:
  switchyard catalog sync --from https://models.dev/api.json
  switchyard catalog sync --from model_prices_and_context_window.json --check --lines 500
  switchyard catalog sync --from https://models.dev/api.json --add --yes`,
    )
    .action(async (options: SyncOptions, command) => {
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, dependencies.environment);
      if (options.lines === 0) throw new CommandError('--lines: must be 1 or more', 2);
      const request = await requestFrom(options, dependencies);
      await withDirectory(dependencies, settings, (directory) =>
        runSync({ options, request, directory, dependencies, terminal }),
      );
    });
}

async function requestFrom({ from, add }: SyncOptions, dependencies: CommandLineDependencies): Promise<SyncRequest> {
  const { providers, upstream, clock } = dependencies;
  const place = listPlace(from);
  const parsed = parsePriceList(await readList(place, upstream), providers);
  if (!parsed.ok) throw new CommandError(`${printable(from)}: ${parsed.problem}`);
  const { list } = parsed;
  const url = 'url' in place ? place.url.href : PUBLISHED[list.kind];
  const source = { url, date: isoTime(clock.nowMs()).slice(0, 10) };
  return { providers, list, includeNew: add === true, source };
}

interface Run {
  readonly options: SyncOptions;
  readonly request: SyncRequest;
  readonly directory: DirectoryStore;
  readonly dependencies: CommandLineDependencies;
  readonly terminal: Terminal | null;
}

async function runSync(run: Run): Promise<void> {
  const { options, request, directory, dependencies } = run;
  const { stdout } = dependencies;
  const report = await reportOn(run);
  const hasChanges = report.sync.rows.length > 0;
  if (options.json) {
    const isApplied = hasChanges && options.yes === true && options.check !== true;
    const sync = isApplied ? await syncCatalogue(directory, request) : report.sync;
    stdout.write(`${JSON.stringify(syncAsJson({ ...report, sync }, isApplied), null, 2)}\n`);
    return;
  }
  stdout.write(changesInWords(report, options.lines ?? DEFAULT_LINES));
  if (!hasChanges) stdout.write('there is nothing to take over\n');
  else if (await isWanted(run, report.sync)) {
    const { rows } = await syncCatalogue(directory, request);
    stdout.write(`took over ${countOf(rows.length, 'change')}; a running gateway uses them at once\n`);
  }
}

async function reportOn({ request, directory, dependencies }: Run): Promise<SyncReport> {
  const rows = await directory.read();
  const catalogue = new Catalogue(dependencies.providers, rows.syncedModels);
  const ownStatement = ownStatements(rows, catalogue, dependencies.clock.nowMs());
  return { sync: planSync(rows.syncedModels, request), request, ownStatement };
}

/** Says why not, where nothing is to be changed. */
async function isWanted({ options, dependencies, terminal }: Run, { rows }: CatalogueSync): Promise<boolean> {
  const { stdout } = dependencies;
  const changes = rows.length === 1 ? 'this change' : `these ${rows.length} changes`;
  if (options.check) {
    stdout.write('nothing was changed (--check)\n');
    return false;
  }
  if (options.yes || (terminal !== null && (await isConfirmed(terminal, `Take ${changes} over?`)))) return true;
  stdout.write(
    terminal === null
      ? `nothing was changed; the same command with --yes takes ${changes} over\n`
      : 'nothing was changed\n',
  );
  return false;
}
