import { z } from 'zod';
import type { LiveRequests } from '../../../engine/admin/requests/live-requests.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { RequestLog } from '../../../engine/ports/request-log.ts';
import { EXPORT_FORMATS, EXPORT_TYPES } from '../export/export-format.ts';
import { requestsAsText } from '../export/requests.ts';
import { flag } from '../read-query.ts';
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
  complete: flag('Whether every request is sent, however late, instead of events about skipped ones.'),
  after: z.string().optional().meta({
    description: 'The `id` of the last event that you received. The header `Last-Event-ID` takes precedence.',
  }),
});
const EXPORT = REQUEST_FILTERS.extend({
  format: z.enum(EXPORT_FORMATS).optional().meta({ description: 'The default is `csv`.' }),
  client_format: REQUEST_FILTERS.shape.format,
});

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
      'exactly once. With `complete=true` nothing is skipped: a client that reads slowly, or has been away, receives all matching requests in order.',
    answer: { description: 'Events', schema: z.string(), contentType: 'text/event-stream' },
    errors: ['rate_limit_exceeded'],
    handle: async ({ accountId, query, headers, isStillAllowed }) => {
      const { after, complete: isComplete = false, ...filters } = query;
      const watched = { query: wantedRequests(filters, accountId), isComplete, isStillAllowed };
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
      const body = await requestsAsText({ log, directory }, { ...wanted, toMs }, format);
      const day = new Date(toMs).toISOString().slice(0, 10);
      return {
        raw: { contentType: EXPORT_TYPES[format], body },
        headers: { 'content-disposition': `attachment; filename="requests-${day}.${format}"` },
      };
    },
  });
}
