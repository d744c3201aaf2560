import { z } from 'zod';
import { type Named, namedPage } from '../../../engine/admin/names.ts';
import type { LiveRequests } from '../../../engine/admin/requests/live-requests.ts';
import { listRequests, requestView } from '../../../engine/admin/requests/read-requests.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { RequestLog } from '../../../engine/ports/request-log.ts';
import { CSV_TYPE, csvRow } from '../csv.ts';
import { pagedText } from '../paged-text.ts';
import { REQUEST_FILTERS, wantedRequests } from '../request-filters.ts';
import { type ManagementRoute, route } from '../route.ts';

export interface RequestStreamOptions {
  readonly log: Pick<RequestLog, 'page'>;
  readonly live: Pick<LiveRequests, 'open'>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

const ACCESS = { who: 'account', role: 'viewer', scope: 'requests:read', orAll: true } as const;
const TAG = 'Requests';

const LIVE = REQUEST_FILTERS.extend({
  after: z.string().optional().meta({
    description: 'The `id` of the last event that you received. The header `Last-Event-ID` takes precedence.',
  }),
});
const EXPORT = REQUEST_FILTERS.extend({
  format: z.enum(['csv', 'jsonl']).optional().meta({ description: 'The default is `csv`.' }),
  client_format: REQUEST_FILTERS.shape.format,
});
const FORMATS = { csv: CSV_TYPE, jsonl: 'application/jsonl' } as const;

/** Returns the request log as an event stream and as a file. Must precede `requestRoutes`: the paths look like that of one request. */
export function requestStreamRoutes(options: RequestStreamOptions): readonly ManagementRoute[] {
  return [liveRoute(options), exportRoute(options)];
}

function liveRoute({ live }: RequestStreamOptions): ManagementRoute {
  return route({
    ...{ method: 'get', path: '/requests/live', operationId: 'watchRequests', tag: TAG, query: LIVE, access: ACCESS },
    summary: 'Stream requests',
    description:
      'Server-sent events for each matching request, about a second after it is logged. `request`: a request, with the members of the list. ' +
      '`skipped`: `count` requests exceeded what is sent at once; read them from the list. `end`: the stream ends for a `reason`: `not_allowed` ' +
      '(signed out or revoked) or `shutting_down` (reconnect). A client that reconnects with the `id` of the last event receives what it missed, ' +
      'exactly once.',
    answer: { description: 'Events', schema: z.string(), contentType: 'text/event-stream' },
    errors: ['rate_limit_exceeded'],
    handle: async ({ accountId, query, headers, isStillAllowed }) => {
      const { after, ...filters } = query;
      const watched = { query: wantedRequests(filters, accountId), isStillAllowed };
      const body = await live.open(accountId, watched, headers.get('last-event-id') || (after ?? null));
      return {
        raw: { contentType: 'text/event-stream', body: body },
        // Proxies must neither cache nor buffer it.
        headers: { 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
      };
    },
  });
}

function exportRoute({ log, clock }: RequestStreamOptions): ManagementRoute {
  return route({
    ...{ method: 'get', path: '/requests/export', operationId: 'exportRequests', tag: TAG, query: EXPORT },
    summary: 'Export requests',
    description:
      'All matching requests, newest first, as a file: CSV with a header row, or one JSON object per line with the members of the list. The query parameter for the client’s format is `client_format`.',
    access: ACCESS,
    answer: { description: 'The requests', schema: z.string(), contentType: ['text/csv', 'application/jsonl'] },
    handle: async ({ accountId, query, directory }) => {
      const { format = 'csv', client_format, ...filters } = query;
      // Excludes requests that arrive during the export.
      const { toMs = clock.nowMs(), ...wanted } = wantedRequests({ ...filters, format: client_format }, accountId);
      const body = await pagedText<View>({
        ...LINES[format],
        read: async (page) => namedPage(directory, await listRequests(log, { ...wanted, toMs, ...page }), requestView),
      });
      const day = new Date(toMs).toISOString().slice(0, 10);
      return {
        raw: { contentType: FORMATS[format], body },
        headers: { 'content-disposition': `attachment; filename="requests-${day}.${format}"` },
      };
    },
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
