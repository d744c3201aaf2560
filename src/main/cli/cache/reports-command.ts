import type { Command } from 'commander';
import { cacheReportView, listCacheReports, type WantedReports } from '../../../engine/admin/cache/read-cache.ts';
import type { CacheReport } from '../../../engine/ports/cache-reports.ts';
import { type CommandSetup, withStore } from '../context.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { formatTable } from '../table.ts';
import { roundDuration } from '../time.ts';
import { wholeNumber } from '../values.ts';

/** The maximum length in a table row; the JSON output has the whole text. */
const SHOWN_DESCRIPTION = 60;

export function addReports(cache: Command, { dependencies }: CommandSetup): void {
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
    .action(async ({ json, ...wanted }: WantedReports & { readonly json?: boolean }, command) => {
      const { stdout, environment, clock } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const { items: found } = await withStore(dependencies, settings, (store) => listCacheReports(store, wanted));
      if (json) stdout.write(`${JSON.stringify(found.map(cacheReportView), null, 2)}\n`);
      else if (found.length === 0) stdout.write('No reports found.\n');
      else
        stdout.write(
          formatTable(
            COLUMNS,
            found.map((report) => asRow(report, clock.nowMs())),
          ),
        );
    });
}

const COLUMNS = ['entry', 'age', 'account', 'key', 'model', 'type', 'invalidated', 'description'];

function asRow(report: CacheReport, nowMs: number): readonly string[] {
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
