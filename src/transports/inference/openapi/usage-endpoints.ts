import { z } from 'zod';
import type { DescribedEndpoint, DescribedTag } from '../../shared/openapi/described-endpoint.ts';
import {
  billingSubscription,
  billingUsage,
  creditGrants,
  deepSeekBalance,
  keyInformation,
  keyUsage,
  liteLlmKey,
  newApiToken,
  openRouterCredits,
  openRouterKey,
} from './answers/usage.ts';
import { read } from './describe.ts';
import { KEYED } from './errors.ts';

export const USAGE_TAGS: readonly DescribedTag[] = [
  { name: 'Usage and balance', description: 'What a key has spent and may still spend.' },
];

const of = { tag: 'Usage and balance', errors: [...KEYED, 'access_denied'] } as const;
const openrouter = { ...of, envelope: 'openrouter' } as const;

const date = (description: string) =>
  z.string().optional().meta({ type: 'string', format: 'date' }).describe(description);
const time = (description: string) =>
  z.string().optional().meta({ type: 'string', format: 'date-time' }).describe(description);

export const usageEndpoints: readonly DescribedEndpoint[] = [
  read({
    ...{ path: '/v1/usage', operationId: 'getKeyUsage', ...of },
    summary: 'Read usage and what is left',
    description:
      'At most a second old. Periods have at most 100 days. The figures equal those of the management API and the ledger.',
    query: z.object({
      from: time('A full minute. The default is the start of the month.'),
      to: time('A full minute, exclusive. The default is the end of the current minute.'),
      time_zone: z
        .string()
        .optional()
        .describe('The IANA time zone of days. The default is that of the budget, or UTC.'),
      scope: z
        .enum(['key', 'account'])
        .optional()
        .describe('The usage of the key, or of its account. The default is the most that the key may read.'),
      top: z.int().min(1).max(100).optional().describe('The number of models to list. The default is 20.'),
    }),
    answer: keyUsage,
    answerDescription: 'The usage.',
  }),
  read({
    ...{ path: '/v1/key', operationId: 'getOwnKey', ...of },
    summary: 'Read the key itself',
    answer: keyInformation,
    answerDescription: 'The key with its limits.',
  }),
  read({
    ...{ path: '/v1/dashboard/billing/usage', operationId: 'getBillingUsage', ...of },
    summary: 'Read costs in OpenAI’s former format',
    description: 'Also without `/v1`. Periods have at most 100 days.',
    query: z.object({
      start_date: date('In UTC. The default is the first day of the month.'),
      end_date: date('In UTC, exclusive, except that today includes the costs until now. The default is today.'),
    }),
    answer: billingUsage,
    answerDescription: 'The costs per day and model.',
  }),
  read({
    ...{ path: '/v1/dashboard/billing/subscription', operationId: 'getBillingSubscription', ...of },
    summary: 'Read the limit in OpenAI’s former format',
    description: 'Also without `/v1`. `hard_limit_usd` less the usage of the current month is what is left.',
    answer: billingSubscription,
    answerDescription: 'The limit. 100000000 stands for no limit.',
  }),
  read({
    ...{ path: '/api/v1/key', operationId: 'getOpenRouterKey', ...openrouter },
    summary: 'Read the key in OpenRouter’s format',
    description: 'Also as `/api/v1/auth/key` and `/v1/auth/key`.',
    answer: openRouterKey,
    answerDescription: 'The key, its limit and its usage.',
  }),
  read({
    ...{ path: '/api/v1/credits', operationId: 'getOpenRouterCredits', ...openrouter },
    summary: 'Read credits in OpenRouter’s format',
    description: 'Of the account if the key may read it, else of the key’s own limit. Also as `/v1/credits`.',
    answer: openRouterCredits,
    answerDescription: 'The credits. 100000000 stands for no limit.',
  }),
  read({
    ...{ path: '/v1/dashboard/billing/credit_grants', operationId: 'getCreditGrants', ...of },
    summary: 'Read credits in OpenAI’s former format',
    description: 'Also without `/v1`.',
    answer: creditGrants,
    answerDescription: 'The credits. 100000000 stands for no limit.',
  }),
  read({
    ...{ path: '/v1/user/balance', operationId: 'getDeepSeekBalance', ...of },
    summary: 'Read the balance in DeepSeek’s format',
    description: 'Also without `/v1`.',
    answer: deepSeekBalance,
    answerDescription: 'The balance. 100000000 stands for no limit.',
  }),
  read({
    ...{ path: '/api/usage/token', operationId: 'getNewApiToken', ...of },
    summary: 'Read the key in new-api’s format',
    answer: newApiToken,
    answerDescription: 'The usage in points.',
  }),
  read({
    ...{ path: '/v1/key/info', operationId: 'getLiteLlmKey', ...of },
    summary: 'Read the key in LiteLLM’s format',
    description: 'Also without `/v1`.',
    answer: liteLlmKey,
    answerDescription: 'The key.',
  }),
];
