import { type Command, InvalidArgumentError } from 'commander';
import { parseTime } from '../../../domain/access/expiry.ts';
import { ownStatements, type SyncReport, syncView } from '../../../engine/admin/catalog/change-catalog.ts';
import { ModelFacts } from '../../../engine/directory/model-facts.ts';
import { type DirectoryStore, SERVING_ONLY } from '../../../engine/ports/directory-store.ts';
import { describeChanges } from '../../../engine/price-lists/describe-changes.ts';
import { publicAddress } from '../../../engine/price-lists/download-list.ts';
import { parsePriceList } from '../../../engine/price-lists/price-list.ts';
import type { PriceList, PriceListKind } from '../../../engine/price-lists/price-list-model.ts';
import { type CatalogSync, planSync, type SyncRequest, syncCatalog } from '../../../engine/price-lists/sync-catalog.ts';
import { CommandError } from '../command-error.ts';
import { type CommandLineDependencies, type CommandSetup, withDirectory } from '../context.ts';
import { printable } from '../table.ts';
import { isConfirmed, type Terminal } from '../terminal.ts';
import { isoTime } from '../time.ts';
import { wholeNumber } from '../values.ts';
import { listPlace, readList } from './read-list.ts';

interface SyncOptions {
  readonly from: string;
  readonly yes?: boolean;
  readonly add?: boolean;
  readonly pricesOnly?: boolean;
  readonly asOf?: string;
  readonly check?: boolean;
  readonly json?: boolean;
  readonly lines?: number;
}

const DEFAULT_LINES = 60;

/** Where the lists are published, for one that was read from a file. */
const PUBLISHED: Readonly<Record<PriceListKind, string>> = {
  litellm: 'https://github.com/BerriAI/litellm',
  'models.dev': 'https://models.dev',
};

export function addSync(catalog: Command, setup: CommandSetup, terminal: Terminal | null): void {
  catalog
    .command('sync')
    .description('sync model prices and facts from a public list, after a preview')
    .requiredOption(
      '--from <place>',
      "LiteLLM's model_prices_and_context_window.json or models.dev's api.json: file or URL",
    )
    .option('--yes', 'apply the changes without asking')
    .option('--add', 'also add models missing from the catalog')
    .option('--prices-only', 'sync only prices')
    .option('--as-of <day>', 'the date of the list, as YYYY-MM-DD', dayOf)
    .option('--check', 'only preview; never ask, change nothing')
    .option('--lines <number>', `maximum lines of changes to show (${DEFAULT_LINES})`, wholeNumber)
    .option('--json', 'print JSON; changes nothing without --yes')
    .addHelpText(
      'after',
      `
What a configuration file or an admin sets for a model stays in effect. A list's price overrides the shipped one until a
gateway release has a newer one; a file's date is when it was last written, unless --as-of gives another.
An added model is served once a channel names it. A running gateway uses synced values at once;
"switchyard catalog reset" discards them.

Examples:
  switchyard catalog sync --from https://models.dev/api.json
  switchyard catalog sync --from model_prices_and_context_window.json --check --lines 500
  switchyard catalog sync --from https://models.dev/api.json --add --yes`,
    )
    .action(async (options: SyncOptions) => {
      if (options.lines === 0) throw new CommandError('--lines: must be 1 or more', 2);
      if (options.add && options.pricesOnly) throw new CommandError('--add and --prices-only cannot be combined', 2);
      const request = await requestFrom(options, setup.dependencies);
      await withDirectory(setup, (directory) =>
        runSync({ options, request, directory, dependencies: setup.dependencies, terminal }),
      );
    });
}

async function requestFrom(options: SyncOptions, dependencies: CommandLineDependencies): Promise<SyncRequest> {
  const { from, add, asOf, pricesOnly } = options;
  const { upstream, clock } = dependencies;
  const nowMs = clock.nowMs();
  if (asOf !== undefined && Date.parse(asOf) > nowMs) throw new CommandError('--as-of: must not be in the future', 2);
  const place = listPlace(from);
  const { json, writtenAtMs } = await readList(place, upstream);
  const providers = await dependencies.providers();
  const parsed = parsePriceList(json, providers);
  if (!parsed.ok) throw new CommandError(`${printable(from)}: ${parsed.problem}`);
  const { list } = parsed;
  const url = 'url' in place ? publicAddress(place.url) : PUBLISHED[list.kind];
  // A timestamp in the future (a wrong clock, or a file time set by hand) counts as now.
  const listedAtMs = writtenAtMs === null || writtenAtMs > nowMs ? nowMs : writtenAtMs;
  const source = { url, date: asOf ?? isoTime(listedAtMs).slice(0, 10) };
  return { providers, list, includeNew: add === true, pricesOnly: pricesOnly === true, source };
}

function dayOf(text: string): string {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text) && parseTime(text).ok;
  if (!isDay) throw new InvalidArgumentError('It must be a valid date, such as 2026-09-01.');
  return text;
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
    const sync = isApplied ? await syncCatalog(directory, request) : report.sync;
    stdout.write(`${JSON.stringify(syncView({ ...report, sync }, isApplied), null, 2)}\n`);
    return;
  }
  stdout.write(formatSyncReport(report, options.lines ?? DEFAULT_LINES));
  if (!hasChanges) stdout.write('nothing to change\n');
  else if (await isWanted(run, report.sync)) {
    const { rows } = await syncCatalog(directory, request);
    stdout.write(`applied ${countOf(rows.length, 'change')}; a running gateway uses them at once\n`);
  }
}

async function reportOn({ request, directory, dependencies }: Run): Promise<SyncReport> {
  const rows = await directory.read(SERVING_ONLY);
  const modelFacts = new ModelFacts(request.providers, rows.syncedModels);
  const ownStatement = ownStatements(rows, modelFacts, dependencies.clock.nowMs());
  return { sync: planSync(rows.syncedModels, request), request, ownStatement };
}

/** Returns whether to apply the changes, and prints the reason if not. */
async function isWanted({ options, dependencies, terminal }: Run, { rows }: CatalogSync): Promise<boolean> {
  const { stdout } = dependencies;
  const changes = rows.length === 1 ? 'this change' : `these ${rows.length} changes`;
  if (options.check) {
    stdout.write('nothing changed (--check)\n');
    return false;
  }
  if (options.yes || (terminal !== null && (await isConfirmed(terminal, `Apply ${changes}?`)))) return true;
  stdout.write(terminal === null ? `nothing changed; add --yes to apply ${changes}\n` : 'nothing changed\n');
  return false;
}

const NAMES = { litellm: "LiteLLM's list", 'models.dev': "models.dev's list" } as const;

/** Formats one changed fact per line, followed by statistics about the list. */
function formatSyncReport({ sync, request, ownStatement }: SyncReport, maximumLines: number): string {
  const { changes } = sync;
  const lines = [
    ...describeChanges(changes, { maximumLines, ownStatement }),
    ...summaryOf(sync, request),
    ...refusedOf(sync),
    ...malformedOf(request.list),
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}

/** Formats `1 change`, `2 changes`. */
function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function summaryOf({ changes, newerPrices }: CatalogSync, { list, includeNew, source }: SyncRequest): string[] {
  const { changed, added, unchanged, unknownCount } = changes;
  const counts = `${changed.length} changed, ${added.length} new, ${unchanged} unchanged`;
  const lines = [`${NAMES[list.kind]} of ${source.date}: ${counts}, ${unknownCount} unknown, ${list.skipped} skipped`];
  if (unknownCount > 0) lines.push(includeNew ? UNKNOWN_LEFT : UNKNOWN);
  if (newerPrices.length > 0) {
    const count = countOf(newerPrices.length, 'price');
    lines.push(`${count} kept: the catalog's are newer than the list; --as-of sets another date than ${source.date}`);
  }
  return lines;
}

const UNKNOWN = 'unknown: models missing from the catalog; --add adds those with a category, except deprecated ones';
const UNKNOWN_LEFT = 'unknown: models that the list gives no category for, or marks as deprecated';

const NAMED_REFUSED = 5;

function refusedOf({ changes: { refused } }: CatalogSync): string[] {
  if (refused.length === 0) return [];
  const first = refused.slice(0, NAMED_REFUSED);
  const more = refused.length - first.length;
  return [
    `refused: implausible prices of ${countOf(refused.length, 'model')}`,
    ...first.map(({ model, problem }) => `refused: ${model.provider} ${model.id}: ${problem}`),
    ...(more > 0 ? [`refused: and ${more} more`] : []),
  ];
}

function malformedOf({ malformed, firstMalformed }: PriceList): string[] {
  if (malformed === 0) return [];
  const more = malformed - firstMalformed.length;
  return [...firstMalformed.map((text) => `malformed: ${text}`), ...(more > 0 ? [`malformed: and ${more} more`] : [])];
}
