import { z } from 'zod';
import { BILLING_MODES, ROLES } from '../../../domain/access/account.ts';
import {
  accountLimits,
  accountLimitsView,
  keyLimits,
  keyLimitsView,
  type LimitPorts,
} from '../../../engine/admin/limits/read-limits.ts';
import { listAnswer, listSchema } from '../list.ts';
import { accountOf, type ManagementRoute, route } from '../route.ts';
import { BUDGET } from './budgets.ts';

const RATE = z.object({
  limit: z.number(),
  used: z
    .number()
    .nullable()
    .meta({ description: 'In the last 60 seconds. `null` while the counters are unavailable.' }),
});

const IN_FORCE = BUDGET.extend({
  usd: z.string().meta({ description: 'The amount in force, with a raise.' }),
  raised_until: z.string().nullable().meta({ description: '`null`: it is not raised.' }),
  spent_usd: z.string(),
  held_usd: z.string().meta({ description: 'The part that is reserved for requests or leased by gateways.' }),
  left_usd: z.string(),
  starts_at: z.string(),
  resets_at: z.string().meta({ description: 'When the next period begins.' }),
}).meta({ id: 'BudgetInForce' });

const LIMITS = z
  .object({
    object: z.literal('limits'),
    account: z.string(),
    role: z.enum(ROLES),
    billing: z.enum(BILLING_MODES),
    requests_per_minute: RATE.extend({ from: z.enum(['role', 'account']) }),
    tokens_per_minute: RATE.nullable(),
    max_concurrent: z.number().nullable(),
    budget: IN_FORCE.nullable(),
  })
  .meta({ id: 'Limits' });

const KEY_LIMITS = z
  .object({
    object: z.literal('key_limits'),
    id: z.string(),
    account: z.string(),
    name: z.string(),
    state: z.enum(['active', 'expired', 'revoked']),
    requests_per_minute: RATE.nullable().meta({
      description: 'The key’s own limit. The account’s limit applies as well.',
    }),
    limit_usd: z.string().nullable(),
    spent_usd: z.string().meta({ description: 'In total.' }),
    left_usd: z.string().nullable().meta({ description: 'What remains of `limit_usd`.' }),
    budget: IN_FORCE.nullable(),
    models: z.array(z.string()).nullable(),
    expires_at: z.string().nullable(),
  })
  .meta({ id: 'KeyLimits' });

const TAG = 'Account';
const ACCESS = { who: 'account', role: 'viewer', scope: 'limits:read' } as const;

/** Returns `limits`: the limits of an account and its keys, and how much of them is used. */
export function limitRoutes(ports: LimitPorts): readonly ManagementRoute[] {
  return [
    route({
      ...{ method: 'get', path: '/limits', operationId: 'getLimits', tag: TAG, access: ACCESS },
      summary: 'Read the limits of the account',
      description: 'The limits in force, and their current use.',
      answer: { description: 'The limits', schema: LIMITS },
      handle: async (call) => ({
        body: { object: 'limits' as const, ...accountLimitsView(await accountLimits(ports, accountOf(call))) },
      }),
    }),
    route({
      ...{ method: 'get', path: '/limits/keys', operationId: 'listKeyLimits', tag: TAG, access: ACCESS, isList: true },
      summary: 'List the limits of API keys',
      description: 'Each key’s limits, which apply in addition to the account’s. Ordered by id. Includes revoked keys.',
      answer: { description: 'A page of limits', schema: listSchema(KEY_LIMITS) },
      handle: (call) => {
        const nowMs = ports.clock.nowMs();
        return listAnswer(
          call.query,
          (page) => keyLimits(ports, { ...page, accountId: accountOf(call) }),
          (limits) => ({ object: 'key_limits' as const, ...keyLimitsView(limits, nowMs) }),
        );
      },
    }),
  ];
}
