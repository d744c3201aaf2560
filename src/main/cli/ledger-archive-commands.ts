import { type Command, InvalidArgumentError } from 'commander';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import { archiveLedger, YOUNGEST_DAYS } from '../../engine/admin/ledger/archive-ledger.ts';
import type { LedgerArchive, NewCheckpoint } from '../../engine/ports/ledger-archive.ts';
import type { Store } from '../../engine/ports/store.ts';
import { FileArchiveFolder } from '../../stores/ledger-files/archive-folder.ts';
import { CommandError } from './command-error.ts';
import { type CommandSetup, withStore } from './context.ts';
import { type SettingsOptions, settingsFrom } from './settings.ts';
import { isoTime } from './time.ts';
import { dollars } from './values.ts';

export function addArchiveCommand(ledger: Command, { dependencies }: CommandSetup): void {
  ledger
    .command('archive')
    .description('move old charges into a file and keep their sums; gateways may run')
    .requiredOption('--before <date>', `charges before this day (UTC), at least ${YOUNGEST_DAYS} days ago`, day)
    .requiredOption('--to <folder>', 'where the archives are; always the same one')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Grants, refunds and adjustments stay in the ledger, and balances, statements and usage sums do not change. Keep
a copy of the folder: "switchyard ledger verify --archive" checks it. To continue after an interruption, run the command again.

Examples:
  switchyard ledger archive --before 2026-01-01 --to /srv/switchyard-ledger
  switchyard ledger verify --archive /srv/switchyard-ledger
  switchyard ledger list acme --archive /srv/switchyard-ledger`,
    )
    .action(async (options: { before: number; to: string; json?: boolean }, command) => {
      const { stdout, environment, clock } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const folder = new FileArchiveFolder(options.to);
      const { archived } = await withStore(dependencies, settings, (store) =>
        archiveLedger({ archive: archiveOf(store), folder, clock }, options.before),
      );
      if (options.json) stdout.write(`${JSON.stringify(archived.map(asJson), null, 2)}\n`);
      else stdout.write(archived.length === 0 ? 'nothing to archive\n' : archived.map(told).join(''));
    });
}

export function archiveOf({ ledgerArchive }: Pick<Store, 'ledgerArchive'>): LedgerArchive {
  if (ledgerArchive === null) throw new CommandError('this store does not support archives', 1);
  return ledgerArchive;
}

function day(text: string): number {
  const atMs = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(atMs)) throw new InvalidArgumentError('It must be a date such as 2026-01-01.');
  return atMs;
}

function told({ fileName, entries, amountNanoUsd, beforeMs }: NewCheckpoint): string {
  return `archived ${entries} charges before ${isoTime(beforeMs)} (${dollars(-amountNanoUsd)}) in ${fileName}\n`;
}

function asJson({ number, beforeMs, entries, amountNanoUsd, fileName, sha256, previousSha256 }: NewCheckpoint) {
  return {
    number,
    before: isoTime(beforeMs),
    charges: entries,
    amount_usd: formatNanoUsd(-amountNanoUsd),
    file: fileName,
    sha256,
    previous_sha256: previousSha256,
  };
}
