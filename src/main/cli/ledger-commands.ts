import { type Command, InvalidArgumentError } from 'commander';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import { showAccount } from '../../engine/admin/accounts/read-accounts.ts';
import type { AuditedStore } from '../../engine/admin/audit/audit-trail.ts';
import { archiveLedger, YOUNGEST_DAYS } from '../../engine/admin/ledger/archive-ledger.ts';
import { archivedEntries, verifyArchives } from '../../engine/admin/ledger/read-ledger.ts';
import { LEDGER_VERIFIED } from '../../engine/admin/status/store-figures.ts';
import type { LedgerEntry, LedgerReport } from '../../engine/ports/ledger.ts';
import { ArchiveFileError, type LedgerArchive, type NewCheckpoint } from '../../engine/ports/ledger-archive.ts';
import type { Store } from '../../engine/ports/store.ts';
import { FileArchiveFolder } from '../../stores/ledger-files/archive-folder.ts';
import { CommandError } from './command-error.ts';
import { type CommandSetup, withStore } from './context.ts';
import { addHeldCommands } from './held-commands.ts';
import { addReservationCommands } from './reservation-commands.ts';
import { formatTable, printable } from './table.ts';
import { isoTime } from './time.ts';
import { dollars, wholeNumber } from './values.ts';

export function addLedgerCommands(setup: CommandSetup): void {
  const ledger = setup.program.command('ledger').description('list ledger entries, and verify the ledger');
  ledger.addHelpText('after', '\nExamples:\n  switchyard ledger verify\n  switchyard ledger list acme --limit 20');
  addVerify(ledger, setup);
  addList(ledger, setup);
  addArchiveCommand(ledger, setup);
  addHeldCommands(ledger, setup);
  addReservationCommands(ledger, setup);
}

function addVerify(ledger: Command, setup: CommandSetup): void {
  ledger
    .command('verify')
    .description('recompute all sums; lists every mismatch and exits with 1 if there is one')
    .option('--archive <folder>', 'also verify the archives: every file exists, is unchanged and matches the ledger')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Each balance must be the sum of its entries, a key's spending the sum of its charges, and each settled request
must have exactly one charge; holds must stay reserved. The command changes no money, and a gateway may run. The audit log records the
result, which GET /status.json shows.

Examples:
  switchyard ledger verify
  switchyard ledger verify --archive /srv/switchyard-ledger
  switchyard ledger verify --json`,
    )
    .action(async (options: { archive?: string; json?: boolean }) => {
      const { stdout } = setup.dependencies;
      const { archive: folder, json } = options;
      const report = await withStore(setup, async (store) => {
        const books = await store.ledger.verify();
        const problems =
          folder === undefined ? [] : await verifyArchives(archiveOf(store), new FileArchiveFolder(folder));
        const found = { ...books, problems: [...books.problems, ...problems] };
        await recordVerification(store, found).catch((error: unknown) => {
          setup.dependencies.stderr.write(`notice: the result could not be recorded: ${printable(String(error))}\n`);
        });
        return found;
      });
      const isRead = folder !== undefined;
      stdout.write(json ? `${JSON.stringify(reportAsJson(report), null, 2)}\n` : formatReport(report, isRead));
      if (report.problems.length > 0) setup.setExitCode(1);
    });
}

/** Records the result in the audit log, from which a gateway reports it. */
function recordVerification({ trail }: AuditedStore, { accounts, entries, problems }: LedgerReport): Promise<void> {
  const after = { accounts, entries, problems: problems.length };
  return trail.note({ action: LEDGER_VERIFIED, accountId: null, objectId: 'ledger', after });
}

const DEFAULT_LIMIT = 50;
const LARGEST_LIMIT = 100_000;

function addList(ledger: Command, setup: CommandSetup): void {
  ledger
    .command('list')
    .description("list an account's entries, newest first")
    .argument('<account>', 'the account ID, as "switchyard accounts list" shows it')
    .option('--limit <number>', `maximum number to list (${DEFAULT_LIMIT})`, wholeNumber)
    .option('--archive <folder>', 'with those that are in the archives of this folder')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  switchyard ledger list acme\n  switchyard ledger list acme --limit 1000 --json',
    )
    .action(async (accountId: string, options: { limit?: number; archive?: string; json?: boolean }) => {
      const { stdout } = setup.dependencies;
      const limit = options.limit ?? DEFAULT_LIMIT;
      if (limit < 1 || limit > LARGEST_LIMIT) {
        throw new CommandError(`--limit: must be a whole number from 1 to ${LARGEST_LIMIT}`, 2);
      }
      const found = await withStore(setup, async (store) => {
        const { account } = await showAccount(store, accountId);
        const inLedger = await store.ledger.entries(account.id, limit);
        if (options.archive === undefined) return inLedger;
        const folder = new FileArchiveFolder(options.archive);
        const archived = await archivedEntries(archiveOf(store), folder, account.id, limit).catch(refuseUnreadable);
        return [...inLedger, ...archived].toSorted(newestFirst).slice(0, limit);
      });
      if (options.json) stdout.write(`${JSON.stringify(found.map(entryAsJson), null, 2)}\n`);
      else if (found.length === 0) stdout.write(`No entries for ${accountId}.\n`);
      else stdout.write(formatTable(ENTRY_COLUMNS, found.map(entryAsRow)));
    });
}

function refuseUnreadable(error: unknown): never {
  if (error instanceof ArchiveFileError) throw new CommandError(`--archive: ${error.message}`, 1);
  throw error;
}

function newestFirst(one: LedgerEntry, other: LedgerEntry): number {
  return other.atMs - one.atMs || other.sequence - one.sequence;
}

function formatReport({ accounts, entries, charges, archived, problems }: LedgerReport, isRead: boolean): string {
  const unread = isRead ? '' : ', whose files were not read: add --archive FOLDER to check them';
  const inFiles = archived === 0 ? '' : `; ${archived} charges are archived${unread}`;
  const counts = `accounts ${accounts}, entries ${entries}, charges ${charges}${inFiles}`;
  if (problems.length === 0) return `ledger verified (${counts})\n`;
  return `${problems.map((problem) => `${printable(problem)}\n`).join('')}problems ${problems.length} (${counts})\n`;
}

function reportAsJson({ accounts, entries, charges, archived, problems }: LedgerReport) {
  return { ok: problems.length === 0, accounts, entries, charges, archived, problems };
}

const ENTRY_COLUMNS = ['entry', 'time', 'kind', 'amount', 'key', 'request', 'note'];

function entryAsRow(entry: LedgerEntry): readonly string[] {
  return [
    String(entry.sequence),
    isoTime(entry.atMs),
    entry.kind,
    dollars(entry.amountNanoUsd),
    entry.keyId ?? '-',
    entry.requestId ?? '-',
    entry.note ?? '',
  ];
}

function entryAsJson(entry: LedgerEntry) {
  return {
    sequence: entry.sequence,
    at: isoTime(entry.atMs),
    kind: entry.kind,
    amount_usd: formatNanoUsd(entry.amountNanoUsd),
    account: entry.accountId,
    key: entry.keyId,
    request_id: entry.requestId,
    note: entry.note,
    idempotency_key: entry.idempotencyKey,
  };
}

function addArchiveCommand(ledger: Command, setup: CommandSetup): void {
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
    .action(async (options: { before: number; to: string; json?: boolean }) => {
      const { stdout, clock } = setup.dependencies;
      const folder = new FileArchiveFolder(options.to);
      const { archived } = await withStore(setup, (store) =>
        archiveLedger({ archive: archiveOf(store), folder, clock }, options.before),
      );
      if (options.json) stdout.write(`${JSON.stringify(archived.map(asJson), null, 2)}\n`);
      else stdout.write(archived.length === 0 ? 'nothing to archive\n' : archived.map(told).join(''));
    });
}

function archiveOf({ ledgerArchive }: Pick<Store, 'ledgerArchive'>): LedgerArchive {
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
