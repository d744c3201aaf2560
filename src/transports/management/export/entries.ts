import { entryView, listEntries } from '../../../engine/admin/ledger/read-ledger.ts';
import { type Named, type NameSource, namedPage } from '../../../engine/admin/names.ts';
import type { EntryQuery, Ledger } from '../../../engine/ports/ledger.ts';
import { csvRow } from '../csv.ts';
import { pagedText } from '../paged-text.ts';
import type { ExportFormat } from './export-format.ts';

interface EntriesSource {
  readonly ledger: Pick<Ledger, 'page'>;
  readonly directory: NameSource;
}

interface EntriesForm {
  readonly format: ExportFormat;
  /** Whether the text begins with the head of its format. */
  readonly hasHead: boolean;
}

/**
 * Streams an account's entries, newest first. Each entry that existed at the start is in it exactly once. Rejects before the first byte if
 * the first page cannot be read.
 */
export async function entriesAsText(
  { ledger, directory }: EntriesSource,
  wanted: EntryQuery,
  { format, hasHead }: EntriesForm,
): Promise<ReadableStream<Uint8Array>> {
  return pagedText<View>({
    head: hasHead ? ENTRY_HEADS[format] : '',
    line: LINE[format],
    read: async (page) => namedPage(directory, await listEntries(ledger, { ...wanted, ...page }), entryView),
  });
}

type View = Named<ReturnType<typeof entryView>>;

/** New columns are added at the end, so that programs that count columns still work. */
const COLUMNS = [
  ...(['id', 'at', 'account', 'key', 'kind', 'amount_usd', 'request', 'note'] as const),
  ...(['account_name', 'key_name'] as const),
] as const;

/** The text before the first entry: in CSV the names of the columns. */
export const ENTRY_HEADS: Readonly<Record<ExportFormat, string>> = { csv: csvRow(COLUMNS), jsonl: '' };

const LINE: Readonly<Record<ExportFormat, (view: View) => string>> = {
  csv: (view) => csvRow(COLUMNS.map((column) => view[column])),
  jsonl: (view) => `${JSON.stringify({ object: 'ledger_entry', ...view })}\n`,
};
