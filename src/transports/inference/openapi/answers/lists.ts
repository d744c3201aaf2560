import { z } from 'zod';
import { MODEL_CATEGORIES } from '../../../../domain/catalog/category.ts';
import { OPERATIONS } from '../../../../domain/catalog/model-operation.ts';
import { anyObject, routing, textTokens, unixSeconds } from './common.ts';

export const embeddingList = z
  .object({
    object: z.literal('list'),
    data: z.array(
      z.object({
        object: z.literal('embedding'),
        index: z.int(),
        embedding: z.union([z.array(z.number()), z.string()]).describe('Numbers, or a string with `base64`.'),
      }),
    ),
    model: z.string(),
    usage: textTokens,
    _routing: routing,
  })
  .meta({ id: 'EmbeddingList' });

export const rerankResult = z
  .object({
    object: z.literal('list').optional(),
    model: z.string(),
    results: z.array(
      z.object({
        index: z.int().describe('The index of the document in the request.'),
        relevance_score: z.number().min(0).max(1),
        document: z.string().optional().describe('Only with `return_documents`.'),
      }),
    ),
    usage: textTokens,
    _routing: routing,
  })
  .meta({ id: 'RerankResult' });

export const cohereRerankResult = z
  .object({
    results: z.array(z.object({ index: z.int(), relevance_score: z.number().min(0).max(1) })),
    meta: anyObject.optional(),
    model: z.string().optional(),
    _routing: routing,
  })
  .meta({ id: 'CohereRerankResult' });

export const searchResults = z
  .object({
    object: z.literal('search'),
    model: z.string(),
    results: z.array(
      z.object({
        title: z.string(),
        url: z.string(),
        snippet: z.string(),
        date: z.string().nullable().describe('When the page was published, as `2026-11-30`.'),
      }),
    ),
    _routing: routing,
  })
  .meta({ id: 'SearchResults' });

export const moderation = z
  .object({
    id: z.string().optional(),
    model: z.string().optional(),
    results: z.array(
      z.object({
        flagged: z.boolean().optional(),
        categories: z.record(z.string(), z.boolean()).optional(),
        category_scores: z.record(z.string(), z.number()).optional(),
      }),
    ),
    _routing: routing,
  })
  .meta({ id: 'Moderation' });

const preference = z
  .object({
    preferred_rank: z.int(),
    success_rate_24h: z.number().min(0).max(1).nullable(),
    sample_count_24h: z.int(),
    status: z.enum(['ready', 'insufficient_samples']),
    updated_at: z.iso.datetime(),
    basis: z.object({
      score_source: z.string(),
      channel_id: z.string().nullable().describe('Always null.'),
      physical_model: z.string().nullable().describe('Always null.'),
    }),
  })
  .meta({ id: 'AgentPreference' });

const listMetadata = {
  category: z.enum(MODEL_CATEGORIES),
  pricing_unit: z.string().nullable(),
  supported_operations: z.array(z.enum(OPERATIONS)).nullable().describe('Operations besides chat.'),
  pricing_provenance: z
    .object({ source: z.string(), url: z.string().nullable(), as_of: z.string().nullable() })
    .nullable(),
  public_contract_summary: z
    .object({ public_operations: z.array(z.enum(OPERATIONS)), request_endpoint: z.string().nullable() })
    .nullable(),
  agent_preferences: z.record(z.string(), preference).optional().describe('Keyed by scene.'),
};

const modelMembers = {
  id: z.string(),
  object: z.literal('model'),
  created: unixSeconds,
  owned_by: z.string(),
};

const publicContract = z.object({
  display_name: z.string(),
  description: z.string().nullable(),
  tags: z.array(z.string()),
  request_endpoint: z.string().nullable(),
  operations: z.array(
    z.object({
      operation: z.enum(OPERATIONS),
      method: z.string(),
      endpoint: z.string(),
      content_type: z.string(),
      result: z.enum(['inline', 'task', 'inline_or_task']),
      poll_endpoint: z.string().nullable(),
      parameters: z.record(z.string(), anyObject).describe('The parameters of this model, keyed by field.'),
    }),
  ),
});

/** @param vendorKey the member with the gateway's own metadata, whose name the operator can configure */
export function modelSchemas(vendorKey: string) {
  const listed = z
    .object({ ...modelMembers, [vendorKey]: z.object(listMetadata).meta({ id: 'ModelMetadata' }) })
    .meta({ id: 'Model' });
  const detail = z.object({
    ...listMetadata,
    capability_flags: anyObject.nullable(),
    public_contract: publicContract,
  });
  return {
    list: z.object({ object: z.literal('list'), data: z.array(listed) }).meta({ id: 'ModelList' }),
    one: z
      .object({ ...modelMembers, [vendorKey]: detail.meta({ id: 'ModelDetailMetadata' }) })
      .meta({ id: 'ModelDetail' }),
  };
}

const price = z.string().nullable();

export const pricingList = z
  .object({
    object: z.literal('list'),
    data: z.array(
      z
        .object({
          model: z.string(),
          pricing: z.object({
            input_per_1m: price.describe('USD per million input tokens.'),
            output_per_1m: price.describe('USD per million output tokens.'),
            per_request: price.describe('USD per request.'),
            is_lock_price: z.boolean().describe('Whether the price per request is fixed.'),
            currency: z.literal('USD'),
            tiers: z.array(z.object({ above_input_tokens: z.int() })).optional(),
          }),
          provider: z.string(),
        })
        .meta({ id: 'Pricing' }),
    ),
  })
  .meta({ id: 'PricingList' });

export const cacheReport = z
  .object({
    status: z.enum(['recorded', 'already_recorded']),
    cache_entry_id: z.string(),
    invalidated: z.boolean().describe('Whether the entry is now invalid.'),
  })
  .meta({ id: 'RecordedCacheReport' });
