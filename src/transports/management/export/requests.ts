import { type Named, type NameSource, namedPage } from '../../../engine/admin/names.ts';
import { listRequests, requestView } from '../../../engine/admin/requests/read-requests.ts';
import type { RequestLog, RequestLogQuery } from '../../../engine/ports/request-log.ts';
import { csvRow } from '../csv.ts';
import { pagedText } from '../paged-text.ts';
import type { ExportFormat } from './export-format.ts';

interface RequestsSource {
  readonly log: Pick<RequestLog, 'page'>;
  readonly directory: NameSource;
}

/** Streams the matching lines of the request log, newest first. Rejects before the first byte if the first page cannot be read. */
export async function requestsAsText(
  { log, directory }: RequestsSource,
  wanted: RequestLogQuery,
  format: ExportFormat,
): Promise<ReadableStream<Uint8Array>> {
  return pagedText<View>({
    ...LINES[format],
    read: async (page) => namedPage(directory, await listRequests(log, { ...wanted, ...page }), requestView),
  });
}

type View = Named<ReturnType<typeof requestView>>;
type Cell = string | number | null;

const TOKENS = ['input_token', 'cached_input_token', 'cache_write_token', 'output_token', 'reasoning_token'] as const;

/** New columns are added at the end, so that programs that count columns still work. */
const LAST_COLUMNS = [
  'requested_model',
  'error_message',
  'error_param',
  'error_hint',
  'error_side',
  'account_name',
  'key_name',
  'channel_name',
  'client_request_id',
  'trace_id',
] as const;

const COLUMNS: Readonly<Record<string, (view: View) => Cell>> = {
  ...Object.fromEntries(
    (['id', 'at', 'account', 'key', 'format', 'model', 'channel', 'provider', 'upstream_model'] as const).map(
      (name) => [name, (view: View) => view[name]],
    ),
  ),
  stream: ({ stream }) => String(stream),
  status: ({ status }) => status,
  error_code: ({ error_code }) => error_code,
  failure_kind: ({ failure_kind }) => failure_kind,
  client_gone: ({ client_gone }) => String(client_gone),
  retry_count: ({ retry_count }) => retry_count,
  latency_ms: ({ latency_ms }) => latency_ms,
  first_byte_ms: ({ first_byte_ms }) => first_byte_ms,
  ...Object.fromEntries(TOKENS.map((unit) => [`${unit}s`, (view: View) => tokensOf(view, unit)])),
  cost_usd: ({ cost_usd }) => cost_usd,
  cache: ({ cache }) => cache?.match ?? null,
  tags: ({ tags }) =>
    Object.entries(tags)
      .map(([key, value]) => `${key}=${value}`)
      .join(' '),
  recovered: ({ recovered }) => String(recovered),
  ...Object.fromEntries(LAST_COLUMNS.map((name) => [name, (view: View) => view[name]])),
};

const LINES = {
  csv: {
    head: csvRow(Object.keys(COLUMNS)),
    line: (view: View) => csvRow(Object.values(COLUMNS).map((cell) => cell(view))),
  },
  jsonl: { line: (view: View) => `${JSON.stringify({ object: 'request', ...view })}\n` },
};

function tokensOf({ usage }: View, unit: (typeof TOKENS)[number]): Cell {
  if (usage === null) return null;
  return usage.quantities.reduce((sum, of) => (of.unit === unit ? sum + of.amount : sum), 0);
}
