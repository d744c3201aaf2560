import { type Command, Option } from 'commander';
import { BATCH_STAGES, type Batch, type BatchStage } from '../../domain/batches/batch.ts';
import { FILE_PURPOSES, type FilePurpose, type StoredFile } from '../../domain/batches/stored-file.ts';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import {
  batchSummaryView,
  cancelBatch,
  listBatches,
  showBatch,
  shownBatchView,
} from '../../engine/admin/batches/batches.ts';
import { deleteFile, listFiles, managedFileView } from '../../engine/admin/batches/files.ts';
import { type CommandSetup, withStore } from './context.ts';
import { formatFields, formatTable } from './table.ts';
import { roundDuration } from './time.ts';
import { wholeNumber } from './values.ts';

/** Adds `switchyard batches` and `switchyard files`: what accounts have asked for, and what it takes. */
export function addBatchesCommands(setup: CommandSetup): void {
  const batches = setup.program.command('batches').description('list and cancel batches');
  batches.addHelpText(
    'after',
    `
Examples:
  switchyard batches list --open
  switchyard batches show batch_4fW9sQ2mLxTb6Yd0Kc1Vn8Hr3Jp5Ze7A
  switchyard batches cancel batch_4fW9sQ2mLxTb6Yd0Kc1Vn8Hr3Jp5Ze7A`,
  );
  for (const add of [addList, addShow, addCancel]) add(batches, setup);
  const files = setup.program.command('files').description('list and delete the files of batches');
  files.addHelpText(
    'after',
    `
Examples:
  switchyard files list --account acme
  switchyard files delete file-4fW9sQ2mLxTb6Yd0Kc1Vn8Hr3Jp5Ze7A`,
  );
  for (const add of [addListFiles, addDeleteFile]) add(files, setup);
}

interface ListOptions {
  readonly account?: string;
  readonly key?: string;
  readonly stage?: BatchStage;
  readonly open?: boolean;
  readonly limit?: number;
  readonly json?: boolean;
}

const COLUMNS = ['batch', 'age', 'account', 'key', 'endpoint', 'stage', 'lines', 'succeeded', 'errored', 'cost (USD)'];

function addList(batches: Command, setup: CommandSetup): void {
  batches
    .command('list')
    .description('list batches, newest first')
    .option('--account <id>', 'only batches of this account')
    .option('--key <id>', 'only batches created with this key')
    .addOption(new Option('--stage <stage>', 'only batches in this stage').choices(BATCH_STAGES).conflicts('open'))
    .option('--open', 'only batches that have not ended')
    .option('--limit <number>', 'maximum number to list, up to 1000 (50)', wholeNumber)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  switchyard batches list --open
  switchyard batches list --account acme --limit 10 --json`,
    )
    .action(async ({ open, json, ...options }: ListOptions) => {
      const { stdout, clock } = setup.dependencies;
      const { items } = await withStore(setup, ({ batches: stored }) =>
        listBatches({ batches: stored, clock }, { ...options, isOpen: open }),
      );
      const rows = (found: readonly Batch[]) => found.map((batch) => batchRow(batch, clock.nowMs()));
      if (json) stdout.write(`${JSON.stringify(items.map(batchSummaryView), null, 2)}\n`);
      else stdout.write(items.length === 0 ? 'No batches found.\n' : formatTable(COLUMNS, rows(items)));
    });
}

function batchRow(batch: Batch, nowMs: number): readonly string[] {
  const { counts } = batch;
  return [
    batch.id,
    roundDuration(nowMs - batch.createdAtMs),
    batch.accountId,
    batch.keyId,
    batch.endpoint,
    batch.cancelAskedAtMs !== null && batch.endedAtMs === null ? `${batch.stage}, to be cancelled` : batch.stage,
    String(batch.lines),
    String(counts.succeeded),
    String(counts.errored),
    formatNanoUsd(batch.costNanoUsd),
  ];
}

function addShow(batches: Command, setup: CommandSetup): void {
  batches
    .command('show')
    .description('print everything known about a batch, without its requests and responses')
    .argument('<id>', 'the batch ID')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  switchyard batches show batch_4fW9sQ2mLxTb6Yd0Kc1Vn8Hr3Jp5Ze7A')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const { stdout, clock } = setup.dependencies;
      const view = shownBatchView(
        await withStore(setup, ({ batches: stored }) => showBatch({ batches: stored, clock }, id, null)),
      );
      stdout.write(json ? `${JSON.stringify(view, null, 2)}\n` : formatFields(view));
    });
}

function addCancel(batches: Command, setup: CommandSetup): void {
  batches
    .command('cancel')
    .description('cancel a batch; lines that are running may still be answered and charged')
    .argument('<id>', 'the batch ID')
    .addHelpText('after', '\nExamples:\n  switchyard batches cancel batch_4fW9sQ2mLxTb6Yd0Kc1Vn8Hr3Jp5Ze7A')
    .action(async (id: string) => {
      const { stdout, clock } = setup.dependencies;
      const { accountId } = await withStore(setup, ({ batches: stored, trail }) =>
        cancelBatch({ batches: stored, clock, trail }, id, null),
      );
      stdout.write(`${id} of ${accountId} will be cancelled by the gateway that runs it, within seconds\n`);
    });
}

interface FileOptions {
  readonly account?: string;
  readonly purpose?: FilePurpose;
  readonly limit?: number;
  readonly json?: boolean;
}

const FILE_COLUMNS = ['file', 'age', 'account', 'key', 'purpose', 'bytes', 'name'];

function addListFiles(files: Command, setup: CommandSetup): void {
  files
    .command('list')
    .description('list files, newest first')
    .option('--account <id>', 'only files of this account')
    .addOption(new Option('--purpose <purpose>', 'only files with this purpose').choices(FILE_PURPOSES))
    .option('--limit <number>', 'maximum number to list, up to 1000 (50)', wholeNumber)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  switchyard files list --account acme --purpose batch_output')
    .action(async ({ json, ...options }: FileOptions) => {
      const { stdout, clock } = setup.dependencies;
      const { items } = await withStore(setup, (store) => listFiles({ files: store.files, clock }, options));
      const rows = (found: readonly StoredFile[]) => found.map((file) => fileRow(file, clock.nowMs()));
      if (json) stdout.write(`${JSON.stringify(items.map(managedFileView), null, 2)}\n`);
      else stdout.write(items.length === 0 ? 'No files found.\n' : formatTable(FILE_COLUMNS, rows(items)));
    });
}

function fileRow({ id, createdAtMs, accountId, keyId, purpose, bytes, name }: StoredFile, nowMs: number) {
  return [id, roundDuration(nowMs - createdAtMs), accountId, keyId ?? '-', purpose, String(bytes), name];
}

function addDeleteFile(files: Command, setup: CommandSetup): void {
  files
    .command('delete')
    .description('delete a file with its content; a batch that still reads it fails')
    .argument('<id>', 'the file ID')
    .addHelpText('after', '\nExamples:\n  switchyard files delete file-4fW9sQ2mLxTb6Yd0Kc1Vn8Hr3Jp5Ze7A')
    .action(async (id: string) => {
      const { stdout, clock } = setup.dependencies;
      const { accountId, bytes } = await withStore(setup, (store) =>
        deleteFile({ files: store.files, clock, trail: store.trail }, id, null),
      );
      stdout.write(`deleted ${id} of ${accountId}, ${bytes} bytes\n`);
    });
}
