import { z } from 'zod';
import { listRequests, showRequest } from '../../../engine/admin/requests/list-requests.ts';
import { requestView, shownRequestView } from '../../../engine/admin/requests/request-view.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { listAnswer, listSchema } from '../list.ts';
import { REQUEST_FILTERS, wantedRequests } from '../request-filters.ts';
import { type ManagementRoute, paramOf, route } from '../route.ts';
import { LEDGER_ENTRY } from './ledger-answers.ts';

const REQUEST = z
  .looseObject({
    object: z.literal('request'),
    id: z.string(),
    at: z.string(),
    account: z.string().nullable(),
    key: z.string().nullable(),
    format: z.string(),
    model: z.string().nullable(),
    channel: z.string().nullable(),
    provider: z.string().nullable(),
    upstream_model: z.string().nullable(),
    answer_model: z.string().nullable().meta({ description: 'As the upstream has named it in its answer.' }),
    stream: z.boolean(),
    status: z.number(),
    error_code: z.string().nullable(),
    failure_kind: z.string().nullable(),
    client_gone: z.boolean(),
    recovered: z.boolean().meta({
      description:
        'A crash of the gateway has lost the details of this request. The line was made again from its charge: format, usage and times are not known, and `latency_ms` ends with the charge.',
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

const PRICE = z
  .object({
    total_usd: z.string(),
    parts: z.array(
      z.object({
        kind: z.enum(['usage', 'fee', 'cache_share', 'held', 'written_off', 'rounding']).meta({
          description:
            "`fee`: for a channel of the account's own, in place of a price. `cache_share`: what an answer from the cache did not cost. " +
            '`held`: reported usage that is not plausible, which waits for an operator. `written_off`: what no balance or limit had any more.',
        }),
        amount_usd: z.string(),
        unit: z.string().optional(),
        amount: z.number().optional(),
        variant: z.string().optional(),
        unit_price_usd: z.string().optional().meta({ description: 'As it was then, for `per` of the unit.' }),
        per: z.number().optional(),
        factor: z.string().optional().meta({ description: 'Such as of a service tier; missing for 1.' }),
      }),
    ),
  })
  .nullable()
  .meta({
    description:
      'The parts add up to the charge, to the nano-dollar. `null` where nothing was priced, and for requests from before this was kept.',
  });

const TIME_LINE = z
  .object({
    admitted_ms: milliseconds,
    cache_looked_up_ms: milliseconds,
    attempts: z.array(
      z.object({
        channel: z.string().nullable(),
        provider: z.string().nullable(),
        outcome: z.enum(['answered', 'failed', 'abandoned']),
        kind: z.string().nullable().meta({ description: 'Of the failure.' }),
        status: z.number().nullable().meta({ description: "The upstream's." }),
        upstream_request_id: z.string().nullable(),
        began_ms: milliseconds,
        headers_ms: milliseconds,
        ended_ms: milliseconds,
      }),
    ),
    first_byte_ms: milliseconds.meta({ description: 'To the client.' }),
    charged_ms: milliseconds.meta({ description: 'When the charge was durable.' }),
    ended_ms: z.number(),
  })
  .nullable()
  .meta({
    description:
      'In milliseconds since the request arrived. `null` for tasks, and for requests from before this was kept.',
  });

const SHOWN = REQUEST.extend({
  private: z.boolean().nullable().meta({ description: "Whether the channel is the account's own." }),
  upstream_request_id: z.string().nullable(),
  failed_attempts: z.array(
    z.looseObject({
      channel: z.string(),
      kind: z.string(),
      latency_ms: z.number(),
      answered_parts: z.number().optional(),
    }),
  ),
  losses: z
    .array(z.object({ field: z.string(), verdict: z.string(), why: z.string() }))
    .meta({ description: 'What of the request the format of the channel has no place for.' }),
  ledger: z.array(z.object(LEDGER_ENTRY)),
  price: PRICE,
  time_line: TIME_LINE,
}).meta({ id: 'ShownRequest' });

/** Returns `requests`: the request log, which never contains prompts. */
export function requestRoutes(store: Pick<Store, 'requestLog' | 'ledger'>): readonly ManagementRoute[] {
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
        'The newest first. A page may have fewer lines than `limit`, or none, although there are more: `has_more` tells, and `next` ' +
        'goes on.',
      answer: { description: 'A page of requests', schema: listSchema(REQUEST) },
      handle: ({ accountId, query }) => {
        const { limit, after, ...filters } = query;
        const wanted = wantedRequests(filters, accountId);
        return listAnswer(
          { limit, after },
          (page) => listRequests(store.requestLog, { ...wanted, ...page }),
          (record) => ({ object: 'request', ...requestView(record) }),
        );
      },
    }),
    route({
      ...{ method: 'get', path: '/requests/{id}', operationId: 'getRequest', tag, access },
      summary: 'Read a request',
      description:
        'With its whole story: failed attempts, what was lost of it on its way to another format, its entries of the ledger, its price by part, and when it came how far.',
      answer: { description: 'The request', schema: SHOWN },
      handle: async (call) => {
        const shown = await showRequest(store, paramOf(call, 'id'), call.accountId);
        return { body: { object: 'request', ...shownRequestView(shown) } };
      },
    }),
  ];
}
