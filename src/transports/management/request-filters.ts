import { z } from 'zod';
import { isClientRequestId } from '../../domain/trace/call-identity.ts';
import { amount } from '../../engine/admin/schema/fields.ts';
import type { RequestLogQuery } from '../../engine/ports/request-log.ts';
import { time } from '../../providers/shared/file-fields.ts';
import { flag } from './read-query.ts';

const TIME = { type: 'string', format: 'date-time' } as const;
const STATUS = /^(?:[1-5]\d\d|[1-5]xx)$/;

const milliseconds = z
  .string()
  .regex(/^\d{1,9}$/, { error: 'must be a whole number of milliseconds' })
  .transform(Number)
  .optional()
  .meta({ type: 'integer' });

/** A filter that lists more names nearly everything. */
const MOST_LISTED = 50;

/** Describes a filter for one of several values. */
function listed(description: string) {
  return z
    .string()
    .transform((text) => [...new Set(text.split(','))])
    .refine((values) => values.every((value) => value !== ''), { error: 'must list values, separated by commas' })
    .refine((values) => values.length <= MOST_LISTED, { error: `must list at most ${MOST_LISTED} values` })
    .optional()
    .meta({ type: 'string', description: `${description} At most ${MOST_LISTED}.` });
}

/** The filters of everything that returns entries of the request log. */
export const REQUEST_FILTERS = z.strictObject({
  key: z.string().optional().meta({ description: 'The id of the key.' }),
  model: z.string().optional(),
  channel: listed('The id of a channel, or several, separated by commas.'),
  upstream_key: z
    .string()
    .max(64)
    .optional()
    .meta({ description: 'The name of an upstream key of a channel that has several.' }),
  batch: z.string().max(64).optional().meta({ description: 'The id of a batch: only the requests of its lines.' }),
  provider: z.string().optional(),
  format: z.string().optional().meta({ description: "The client's format, such as `openai-chat`." }),
  status: z
    .string()
    .regex(STATUS, { error: 'must be an HTTP status such as 429, or a class such as 4xx' })
    .transform((text) => {
      const least = Number(text.replaceAll('x', '0'));
      return { from: least, to: text.endsWith('xx') ? least + 99 : least };
    })
    .optional()
    .meta({ type: 'string', pattern: STATUS.source }),
  error_code: listed('An error code, or several, separated by commas.'),
  failure_kind: z.string().optional(),
  failed: flag('Whether the request failed, whoever was at fault.'),
  stream: flag('Whether the response was streamed.'),
  client_gone: flag('Whether the client disconnected before the end of the response.'),
  cached: flag('Whether the response came from the cache.'),
  tag: z.string().optional().meta({ description: 'For example `team=search`.' }),
  client_request_id: z
    .string()
    .refine(isClientRequestId, { error: 'must be 1 to 128 printable ASCII characters without spaces and quotes' })
    .optional()
    .meta({ description: 'The client’s own id of the request. Several requests may have the same one.' }),
  trace_id: z
    .string()
    .regex(/^[0-9a-f]{32}$/i, { error: 'must be a trace id: 32 hex digits' })
    .transform((id) => id.toLowerCase())
    .optional()
    .meta({ type: 'string' }),
  from: time.optional().meta({ ...TIME, description: 'Only requests that arrived at this time or later.' }),
  to: time.optional().meta({ ...TIME, description: 'Only requests that arrived before this time.' }),
  min_latency_ms: milliseconds,
  max_latency_ms: milliseconds,
  min_cost_usd: amount.optional().meta({ type: 'string' }),
  max_cost_usd: amount.optional().meta({ type: 'string' }),
});

const NAMES = {
  key: 'keyId',
  model: 'modelId',
  channel: 'channelIds',
  upstream_key: 'upstreamKey',
  batch: 'batchId',
  provider: 'provider',
  format: 'format',
  status: 'status',
  error_code: 'errorCodes',
  failure_kind: 'failureKind',
  failed: 'failed',
  stream: 'stream',
  client_gone: 'clientGone',
  cached: 'cached',
  tag: 'tag',
  client_request_id: 'clientRequestId',
  trace_id: 'traceId',
  from: 'fromMs',
  to: 'toMs',
  min_latency_ms: 'minLatencyMs',
  max_latency_ms: 'maxLatencyMs',
  min_cost_usd: 'minCostNanoUsd',
  max_cost_usd: 'maxCostNanoUsd',
} as const satisfies Record<keyof z.output<typeof REQUEST_FILTERS>, keyof RequestLogQuery>;

/** @param accountId `null` for the requests of all accounts */
export function wantedRequests(filters: z.output<typeof REQUEST_FILTERS>, accountId: string | null): RequestLogQuery {
  const wanted = Object.entries(NAMES).flatMap(([name, field]) => {
    const value = filters[name as keyof typeof NAMES]; // The names are keys of `NAMES`.
    return value === undefined ? [] : [[field, value] as const];
  });
  return { ...Object.fromEntries(wanted), ...(accountId !== null && { accountId }) };
}
