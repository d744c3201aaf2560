import { type Command, InvalidArgumentError, Option } from 'commander';
import { existingAccount } from '../../engine/admin/accounts/read-accounts.ts';
import { LARGEST_PAGE } from '../../engine/admin/page.ts';
import type { Store } from '../../engine/ports/store.ts';
import { ENTRY_HEADS, entriesAsText } from '../../transports/management/export/entries.ts';
import { EXPORT_FORMATS } from '../../transports/management/export/export-format.ts';
import { requestsAsText } from '../../transports/management/export/requests.ts';
import { CommandError } from './command-error.ts';
import { type CommandSetup, type TextOutput, withStore } from './context.ts';
import { addSchemaCommand } from './export-schema-command.ts';
import { isoTime } from './time.ts';
import { pastTime } from './values.ts';
import { WholeFile } from './whole-file.ts';

const REQUEST_FORMATS = [...EXPORT_FORMATS, 'parquet'] as const;
type RequestFormat = (typeof REQUEST_FORMATS)[number];

interface ExportOptions {
  readonly account?: string;
  readonly from?: number;
  readonly to?: number;
  readonly format?: RequestFormat;
  readonly output?: string;
  readonly force?: boolean;
}

/** The times of an export. Both are in milliseconds since 1970, and `toMs` is exclusive. */
interface Span {
  readonly fromMs?: number;
  readonly toMs: number;
}

type Pieces = AsyncIterable<Uint8Array>;

/** Adds `switchyard export`: the request log and the ledger as files. */
export function addExportCommands(setup: CommandSetup): void {
  const exported = setup.program.command('export').description('export the request log or the ledger as a file');
  exported.addHelpText('after', `\nExamples:${EXAMPLES.requests}${EXAMPLES.ledger}`);
  withOptions(exported.command('requests'), REQUEST_FORMATS, setup)
    .description('export lines of the request log, newest first')
    .addHelpText('after', `${NOTES}\n\nExamples:${EXAMPLES.requests}`)
    .action((options: ExportOptions) => exportTo(setup, options, requestPieces));
  withOptions(exported.command('ledger'), EXPORT_FORMATS, setup)
    .description('export entries of the ledger, by account, newest first')
    .addHelpText(
      'after',
      `${NOTES}\nArchived charges are in the files of the archive instead.\n\nExamples:${EXAMPLES.ledger}`,
    )
    .action((options: ExportOptions) => exportTo(setup, options, entryPieces));
  addSchemaCommand(exported, setup);
}

const NOTES = `
Lines and columns are those of the management API (/v1/management/requests/export and /ledger/export). Amounts are exact decimals in
USD. Gateways may run: what they record during the export is left out unless --to is later. A file appears under its name only when it
is complete.`;

const EXAMPLES = {
  requests: `
  switchyard export requests --from 2026-09-01 --to 2026-10-01 --format csv --output september.csv
  switchyard export requests --account acme --from 24h | jq .cost_usd
  switchyard export requests --from 30d --format parquet --output requests.parquet`,
  ledger: `
  switchyard export ledger --from 2026-01-01 --format csv --output ledger.csv
  switchyard export ledger --account acme > acme.jsonl`,
};

function withOptions(command: Command, formats: readonly string[], { dependencies: { clock } }: CommandSetup): Command {
  const time = pastTime(clock.nowMs());
  return command
    .option('--account <id>', 'only this account')
    .option('--from <when>', 'from then on: 2026-09-01, 2026-09-01T12:00:00Z, or how long ago: 30d, 12h', time)
    .option('--to <when>', 'only before this time (now)', time)
    .addOption(new Option('--format <format>', 'format of the lines (jsonl)').choices(formats))
    .option('--output <file>', 'write this file instead of standard output', named)
    .option('--force', 'replace the file if it exists');
}

function named(path: string): string {
  if (path !== '') return path;
  throw new InvalidArgumentError('It must be the name of a file.');
}

async function exportTo(
  setup: CommandSetup,
  options: ExportOptions,
  piecesOf: (store: Store, options: ExportOptions, span: Span, notice: (text: string) => void) => Pieces,
): Promise<void> {
  const { clock, stdout, stderr } = setup.dependencies;
  const { from: fromMs, to: toMs = clock.nowMs(), output } = options;
  if (options.format === 'parquet' && output === undefined) {
    throw new CommandError('--format parquet: needs --output, since it is no text', 2);
  }
  if (fromMs !== undefined && fromMs >= toMs) throw new CommandError('--from: must be before --to', 2);
  if (output === undefined && options.force === true) throw new CommandError('--force: needs --output as well', 2);
  const span = { toMs, ...(fromMs !== undefined && { fromMs }) };
  await withStore(setup, async (store) => {
    // Reported before anything is written.
    if (options.account !== undefined) await existingAccount(store.directory, options.account);
    const notice = (text: string) => stderr.write(`notice: ${text}\n`);
    const pieces = piecesOf(store, options, span, notice);
    const archivedBeforeMs = piecesOf === entryPieces ? await archivedBefore(store) : null;
    if (archivedBeforeMs !== null && archivedBeforeMs > (fromMs ?? Number.NEGATIVE_INFINITY)) {
      notice(`charges before ${isoTime(archivedBeforeMs)} are archived; their entries are in the archive's files`);
    }
    if (output === undefined) await writeTo(stdout, pieces);
    else await writeFileOf(output, options.force === true, pieces);
  });
}

async function* requestPieces(
  store: Store,
  { account, format = 'jsonl' }: ExportOptions,
  span: Span,
  notice: (text: string) => void,
): Pieces {
  const { requestLog: log, directory } = store;
  const wanted = { ...span, ...(account !== undefined && { accountId: account }) };
  if (format === 'parquet') {
    const { requestsAsParquet } = await import('./export-parquet.ts');
    yield* requestsAsParquet(store, wanted, ({ requestId, reason }) =>
      notice(`the request ${requestId} was left out: ${reason}`),
    );
  } else yield* await requestsAsText({ log, directory }, wanted, format);
}

/** Yields one account after the other, since the ledger is read by account. */
async function* entryPieces(store: Store, { account, format = 'jsonl' }: ExportOptions, span: Span): Pieces {
  if (format === 'parquet') throw new CommandError('--format: must be csv or jsonl', 2);
  yield new TextEncoder().encode(ENTRY_HEADS[format]);
  for await (const accountId of account === undefined ? accountIds(store) : [account]) {
    yield* await entriesAsText(store, { ...span, accountId }, { format, hasHead: false });
  }
}

async function* accountIds({ directory }: Pick<Store, 'directory'>): AsyncGenerator<string, void> {
  for (let after: string | null = null; ; ) {
    const accounts: readonly { readonly id: string }[] = await directory.accounts({ after, limit: LARGEST_PAGE });
    for (const { id } of accounts) yield id;
    after = accounts.at(-1)?.id ?? null;
    if (accounts.length < LARGEST_PAGE) return;
  }
}

/** Resolves to the time before which charges may be archived; `null` if none are. */
async function archivedBefore({ ledgerArchive }: Pick<Store, 'ledgerArchive'>): Promise<number | null> {
  const checkpoints = (await ledgerArchive?.checkpoints()) ?? [];
  return checkpoints.length === 0 ? null : Math.max(...checkpoints.map(({ beforeMs }) => beforeMs));
}

async function writeFileOf(path: string, replaces: boolean, pieces: Pieces): Promise<void> {
  const file = await WholeFile.create(path, { replaces, isPrivate: true });
  try {
    for await (const piece of pieces) await file.write(piece);
  } catch (error) {
    await file.discard();
    throw error;
  }
  await file.finish();
}

/** Writes as fast as the reader reads, and stops when it has closed the pipe. */
async function writeTo(output: TextOutput, pieces: Pieces): Promise<void> {
  const decoder = new TextDecoder();
  for await (const piece of pieces) {
    if (!(await isTaken(output, decoder.decode(piece, { stream: true })))) return;
  }
}

/** Resolves to whether the reader has taken the text, and can take more. */
function isTaken(output: TextOutput, text: string): Promise<boolean> {
  if (output !== process.stdout) {
    output.write(text);
    return Promise.resolve(true);
  }
  return new Promise((resolve) => {
    const gone = () => resolve(false);
    process.stdout.once('error', gone);
    process.stdout.write(text, (error) => {
      if (error != null) return gone();
      process.stdout.off('error', gone);
      resolve(true);
    });
  });
}
