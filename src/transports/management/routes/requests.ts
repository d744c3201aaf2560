import { z } from 'zod';
import { GUARD_ACTIONS, GUARD_STAGES } from '../../../domain/verdicts/guard-verdict.ts';
import { namedPage } from '../../../engine/admin/names.ts';
import {
  listRequests,
  type RequestReader,
  requestView,
  shownRequestView,
  showRequest,
} from '../../../engine/admin/requests/read-requests.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { listAnswer, listSchema } from '../list.ts';
import { REQUEST_FILTERS, wantedRequests } from '../request-filters.ts';
import { type ManagementRoute, paramOf, route } from '../route.ts';
import { LEDGER_ENTRY } from './ledger-answers.ts';
import { NAMED } from './named-answers.ts';

const REQUEST = z
  .looseObject({
    object: z.literal('request'),
    id: z.string(),
    client_request_id: z.string().nullable().meta({
      description: 'The client’s own id of the request, from its header `X-Client-Request-Id` or `X-Request-Id`.',
    }),
    trace_id: z.string().nullable().meta({ description: 'The trace that the request belongs to: 32 hex digits.' }),
    at: z.string(),
    account: z.string().nullable(),
    ...NAMED.account,
    key: z.string().nullable(),
    ...NAMED.key,
    format: z.string(),
    model: z.string().nullable(),
    requested_model: z.string().nullable().meta({
      description:
        'The model as the client wrote it, also if no such model exists. `null` if the request named none, or was refused before its body was read.',
    }),
    model_steps: z
      .array(
        z.object({
          kind: z.enum(['rule', 'budget', 'fallback']),
          from: z.string(),
          to: z.string(),
          reason: z.string().meta({ description: 'The name of the rule or budget, or the code of the failure.' }),
          skipped: z.string().optional().meta({ description: 'Why `to` was not asked; missing if it was.' }),
        }),
      )
      .meta({ description: 'The changes of the model, in order. Empty if the requested model was kept.' }),
    channel: z.string().nullable(),
    ...NAMED.channel,
    upstream_key: z
      .string()
      .nullable()
      .meta({ description: 'The name of the channel’s upstream key; `null` if it has one key.' }),
    batch: z.string().nullable().meta({ description: 'The batch whose line the request was; `null` for none.' }),
    guards: z
      .array(
        z.object({
          guard: z.string(),
          rule: z.string().meta({ description: 'The name of the rule, or its class of personal data.' }),
          stage: z.enum(GUARD_STAGES),
          action: z.enum(GUARD_ACTIONS),
          count: z.number().meta({ description: 'The number of matches.' }),
        }),
      )
      .meta({
        description: 'What guards have found, at most 50 entries, without the matched text. Empty for nothing.',
      }),
    provider: z.string().nullable(),
    upstream_model: z.string().nullable(),
    answer_model: z.string().nullable().meta({ description: 'The model that the upstream named in its response.' }),
    stream: z.boolean(),
    status: z.number(),
    error_code: z.string().nullable(),
    failure_kind: z.string().nullable(),
    error_message: z.string().nullable().meta({
      description:
        'What the client was told, without secrets and at most 1,000 characters. It may quote a value of the request. `null` if the request did not fail, and for requests from before this was recorded.',
    }),
    error_param: z.string().nullable().meta({ description: 'The field at fault, such as `messages[2].content`.' }),
    error_hint: z.string().nullable().meta({ description: 'What the client was advised to do.' }),
    error_side: z.enum(['client', 'gateway', 'upstream']).nullable().meta({ description: 'The side at fault.' }),
    client_gone: z.boolean(),
    recovered: z.boolean().meta({
      description:
        'Whether the entry was restored from its charge after a crash of the gateway. Its format, usage and times are unknown, and `latency_ms` ends with the charge.',
    }),
    retry_count: z.number(),
    latency_ms: z.number(),
    first_byte_ms: z.number().nullable(),
    usage: z
      .object({
        source: z.string(),
        quantities: z.array(z.object({ unit: z.string(), amount: z.number(), variant: z.string().optional() })),
      })
      .nullable(),
    cost_usd: z.string().nullable(),
    cache: z.object({ match: z.string(), entry: z.string().nullable() }).nullable(),
    tags: z.record(z.string(), z.string()),
  })
  .meta({ id: 'Request' });

const milliseconds = z.number().nullable();

const MESSAGE = z.string().nullable().meta({
  description:
    'What went wrong, mostly in the upstream’s words, without secrets and at most 500 characters. For members and tokens of an account, `null` at shared channels.',
});

const PRICE = z
  .object({
    total_usd: z.string(),
    parts: z.array(
      z.object({
        kind: z.enum(['usage', 'fee', 'cache_share', 'held', 'written_off', 'rounding']).meta({
          description:
            '`fee`: for a channel of the account’s own, instead of a price. `cache_share`: the discount for a cached response. `held`: implausible usage, ' +
            'which awaits an operator’s decision. `written_off`: the cost beyond the balance or the limit.',
        }),
        amount_usd: z.string(),
        unit: z.string().optional(),
        amount: z.number().optional(),
        variant: z.string().optional(),
        unit_price_usd: z.string().optional().meta({ description: 'The price at that time, for `per` units.' }),
        per: z.number().optional(),
        factor: z.string().optional().meta({ description: 'For example of a service tier. Omitted if 1.' }),
      }),
    ),
  })
  .nullable()
  .meta({
    description:
      'The parts add up to the charge exactly, to the nano-dollar. `null` if nothing was priced, and for requests from before this was recorded.',
  });

const TIME_LINE = z
  .object({
    admitted_ms: milliseconds,
    cache_looked_up_ms: milliseconds,
    queue_ms: milliseconds.meta({ description: 'How long it waited for channels that were at their limits.' }),
    attempts: z.array(
      z.object({
        channel: z.string().nullable(),
        ...NAMED.channel,
        upstream_key: z.string().nullable(),
        provider: z.string().nullable(),
        outcome: z.enum(['answered', 'failed', 'abandoned']),
        kind: z.string().nullable().meta({ description: 'The kind of the failure.' }),
        message: MESSAGE,
        status: z.number().nullable().meta({ description: 'The status of the upstream.' }),
        upstream_request_id: z.string().nullable(),
        began_ms: milliseconds,
        headers_ms: milliseconds,
        ended_ms: milliseconds,
      }),
    ),
    first_byte_ms: milliseconds.meta({ description: 'When the first byte was sent to the client.' }),
    charged_ms: milliseconds.meta({ description: 'When the charge was durable.' }),
    ended_ms: z.number(),
  })
  .nullable()
  .meta({
    description:
      'In milliseconds since the request arrived. `null` for tasks, and for requests from before this was recorded.',
  });

const SHOWN = REQUEST.extend({
  trace_url: z.string().nullable().meta({
    description: 'The trace in the operators’ trace viewer (`telemetry.trace_url`). `null` unless an operator asks.',
  }),
  private: z.boolean().nullable().meta({ description: 'Whether the channel is the account’s own.' }),
  upstream_request_id: z.string().nullable(),
  failed_attempts: z.array(
    z.looseObject({
      channel: z.string(),
      ...NAMED.channel,
      kind: z.string(),
      message: MESSAGE,
      latency_ms: z.number(),
      answered_parts: z.number().optional(),
    }),
  ),
  losses: z
    .array(z.object({ field: z.string(), verdict: z.string(), why: z.string() }))
    .meta({ description: 'The parts of the request that the channel’s format cannot carry.' }),
  ledger: z.array(z.object(LEDGER_ENTRY)),
  price: PRICE,
  time_line: TIME_LINE,
}).meta({ id: 'ShownRequest' });

/** Returns `requests`: the request log, which has no prompts. */
export function requestRoutes(
  store: Pick<Store, 'requestLog' | 'ledger'>,
  { traceUrl }: Pick<RequestReader, 'traceUrl'>,
): readonly ManagementRoute[] {
  const access = { who: 'account', role: 'viewer', scope: 'requests:read', orAll: true } as const;
  const tag = 'Requests';
  return [
    route({
      ...{
        method: 'get',
        path: '/requests',
        operationId: 'listRequests',
        tag,
        isList: true,
        query: REQUEST_FILTERS,
        access,
      },
      summary: 'List requests',
      description:
        'Newest first. A page may have fewer entries than `limit`, or none, although more follow: check `has_more`, and continue with `next`.',
      answer: { description: 'A page of requests', schema: listSchema(REQUEST) },
      handle: ({ accountId, query, directory }) => {
        const { limit, after, ...filters } = query;
        const wanted = wantedRequests(filters, accountId);
        return listAnswer(
          { limit, after },
          async (page) =>
            namedPage(directory, await listRequests(store.requestLog, { ...wanted, ...page }), requestView),
          (view) => ({ object: 'request' as const, ...view }),
        );
      },
    }),
    route({
      ...{ method: 'get', path: '/requests/{id}', operationId: 'getRequest', tag, access },
      summary: 'Read a request',
      description:
        'Adds the failed attempts, what was lost in translation to another format, the ledger entries, the price by part, and the time line.',
      answer: { description: 'The request', schema: SHOWN },
      handle: async (call) => {
        const shown = await showRequest(store, paramOf(call, 'id'), call.accountId);
        const reader = { isOperator: call.requester?.isOperator === true, traceUrl };
        const view = await shownRequestView(call.directory, shown, reader);
        return { body: { object: 'request' as const, ...view } };
      },
    }),
  ];
}
