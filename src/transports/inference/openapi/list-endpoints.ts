import { z } from 'zod';
import { CACHE_CONTROL_TYPES, FEEDBACK_TYPES, MOST_MAX_AGE_S } from '../../../domain/cache/cache.ts';
import { MODEL_CATEGORIES } from '../../../domain/catalog/category.ts';
import { SCENES } from '../../../domain/catalog/model-tags.ts';
import type { DescribedEndpoint, DescribedTag } from '../../shared/openapi/described-endpoint.ts';
import { geminiModel, geminiModelList } from './answers/gemini.ts';
import {
  cacheReport,
  cohereRerankResult,
  embeddingList,
  modelSchemas,
  moderation,
  pricingList,
  rerankResult,
  searchResults,
} from './answers/lists.ts';
import { call, example, GOOGLE_KEY, read } from './describe.ts';
import { KEYED_BODY, LISTING, READING_CALL } from './errors.ts';
import { fieldsOf, jsonRequest } from './request-schema.ts';

export const LIST_TAGS: readonly DescribedTag[] = [
  { name: 'Embeddings and rerank', description: 'Embeddings, rerank, moderation and web search.' },
  { name: 'Models', description: 'The models that a key can use, with their parameters and prices.' },
  { name: 'Cache', description: 'Reports of wrong responses from the gateway’s cache.' },
];

const cacheControl = z
  .object({
    type: z.enum(CACHE_CONTROL_TYPES).nullish(),
    max_age: z.int().min(0).max(MOST_MAX_AGE_S).nullish().describe('Seconds.'),
  })
  .describe('Controls the gateway’s own cache.');

const tokens = z.array(z.int().min(0)).min(1);
const texts = z.array(z.string().min(1)).min(1).max(2_048);
const embeddingInput = z.union([z.string().min(1), texts, tokens, z.array(tokens).min(1).max(2_048)]);
const documents = z
  .array(z.union([z.string(), z.object({ text: z.string() })]))
  .min(1)
  .max(1_000);
const RERANK = { documents, cache_control: cacheControl };
const rerankExample = {
  model: 'sandbox-rerank',
  query: 'an animal in the snow',
  documents: ['A car in the city', 'A fox in the snow'],
};

const questions: readonly DescribedEndpoint[] = [
  call({
    path: '/v1/embeddings',
    operationId: 'createEmbeddings',
    tag: 'Embeddings and rerank',
    summary: 'Create embeddings',
    body: {
      schema: jsonRequest('embeddings', {
        id: 'EmbeddingRequest',
        members: { input: embeddingInput, dimensions: z.int().min(1), cache_control: cacheControl },
      }),
      examples: {
        text: example('A text', { model: 'sandbox-embedding', input: 'A fox in the snow', dimensions: 8 }),
        base64: example('Two texts, as base64', {
          model: 'sandbox-embedding',
          input: ['A fox', 'A car'],
          encoding_format: 'base64',
        }),
      },
    },
    errors: READING_CALL,
    answer: embeddingList,
    answerDescription: 'One vector per input.',
  }),
  call({
    path: '/v1/rerank',
    operationId: 'rerank',
    tag: 'Embeddings and rerank',
    summary: 'Rerank documents',
    body: {
      schema: jsonRequest('rerank', { id: 'RerankRequest', members: RERANK }),
      examples: { two: example('Two documents', { ...rerankExample, return_documents: true }) },
    },
    errors: READING_CALL,
    answer: rerankResult,
    answerDescription: 'The most relevant documents first.',
  }),
  call({
    path: '/v2/rerank',
    operationId: 'rerankAsCohere',
    tag: 'Embeddings and rerank',
    summary: 'Rerank documents in Cohere’s format',
    body: {
      schema: jsonRequest('rerank', { id: 'RerankRequest', members: RERANK }),
      examples: { two: example('Two documents', rerankExample) },
    },
    errors: READING_CALL,
    answer: cohereRerankResult,
    answerDescription: 'The most relevant documents first.',
  }),
  call({
    path: '/v1/moderations',
    operationId: 'createModeration',
    tag: 'Embeddings and rerank',
    summary: 'Moderate texts',
    body: {
      schema: jsonRequest('moderations', {
        id: 'ModerationRequest',
        members: { input: z.union([z.string(), z.array(z.union([z.string(), z.object({ type: z.string() })]))]) },
      }),
      fields: fieldsOf('moderations'),
    },
    answer: moderation,
    answerDescription: 'The provider’s verdict on each text.',
  }),
  call({
    path: '/v1/search',
    operationId: 'searchWeb',
    tag: 'Embeddings and rerank',
    summary: 'Search the web',
    body: {
      schema: jsonRequest('search', {
        id: 'SearchRequest',
        members: { search_domain_filter: z.array(z.string()).max(20) },
      }),
      examples: {
        search: example('A search', { model: 'sandbox-search', query: 'foxes in the snow', max_results: 3 }),
      },
    },
    answer: searchResults,
    answerDescription: 'The pages that the search provider found.',
  }),
];

const NARROWED_BY = {
  category: z
    .enum(MODEL_CATEGORIES)
    .optional()
    .describe('Only models of this category. `translation` includes speech models that translate.'),
  recommended_for: z
    .enum(SCENES)
    .optional()
    .describe('Only models that are recommended for this scene, the most reliable first.'),
  provider: z
    .string()
    .optional()
    .describe('Only models of this vendor, or served by a channel of this provider.')
    .meta({ example: 'openai' }),
  tag: z.string().optional().describe('Only models with this tag.'),
};

const OTHER_SHAPES =
  'Clients of Anthropic and Google, recognized by their headers (`anthropic-version`, `x-goog-api-key`), get the format of their own API.';

/** A model's id may contain slashes. */
const modelPath = z.object({ model: z.string().describe('A model id.').meta({ example: 'sandbox-chat' }) });

function listings(vendorKey: string): readonly DescribedEndpoint[] {
  const schemas = modelSchemas(vendorKey);
  return [
    read({
      path: '/v1/models',
      operationId: 'listModels',
      tag: 'Models',
      summary: 'List models',
      description: OTHER_SHAPES,
      query: z.object(NARROWED_BY),
      errors: LISTING,
      answer: schemas.list,
      answerDescription: 'The models that the key can use.',
    }),
    read({
      path: '/v1/models/{model}',
      operationId: 'getModel',
      tag: 'Models',
      summary: 'Read a model',
      description: OTHER_SHAPES,
      pathParameters: modelPath,
      errors: LISTING,
      answer: schemas.one,
      answerDescription: 'The model with its parameters.',
    }),
    read({
      path: '/v1/pricing',
      operationId: 'listPrices',
      tag: 'Models',
      summary: 'List prices',
      query: z.object({ model: z.string().optional().describe('Only the price of this model.') }),
      errors: LISTING,
      answer: pricingList,
      answerDescription: 'The prices of the models, in USD.',
    }),
    read({
      path: '/v1beta/models',
      operationId: 'listGeminiModels',
      tag: 'Models',
      summary: 'List models in Google’s format',
      security: GOOGLE_KEY,
      isSecurityOptional: true,
      envelope: 'gemini',
      query: z.object({
        pageSize: z.int().min(1).max(1000).optional().describe('The most models per page. The default is 1000.'),
        pageToken: z.string().optional().describe('The `nextPageToken` of the previous page.'),
        ...NARROWED_BY,
      }),
      errors: LISTING,
      answer: geminiModelList,
      answerDescription: 'A page of models.',
    }),
    read({
      path: '/v1beta/models/{model}',
      operationId: 'getGeminiModel',
      tag: 'Models',
      summary: 'Read a model in Google’s format',
      security: GOOGLE_KEY,
      isSecurityOptional: true,
      envelope: 'gemini',
      pathParameters: modelPath,
      errors: LISTING,
      answer: geminiModel,
      answerDescription: 'The model.',
    }),
  ];
}

const feedback: DescribedEndpoint = call({
  path: '/v1/cache/feedback',
  operationId: 'reportCachedAnswer',
  tag: 'Cache',
  summary: 'Report a wrong response from the cache',
  description: 'Enough reports from different keys invalidate the entry.',
  body: {
    schema: z
      .object({
        cache_entry_id: z.string().describe('The header `x-cache-entry-id` of the response.'),
        feedback_type: z.enum(FEEDBACK_TYPES).describe('The kind of error.'),
        description: z.string().nullish().describe('Details.'),
      })
      .meta({ id: 'CacheFeedback' }),
  },
  errors: [...KEYED_BODY, 'cache_entry_not_found'],
  answer: cacheReport,
  answerDescription: 'The report is stored.',
});

export function listEndpoints(vendorKey: string): readonly DescribedEndpoint[] {
  return [...questions, ...listings(vendorKey), feedback];
}
