import type { ProviderManifest } from '../manifest.ts';
import { ANTHROPIC_MESSAGES } from '../shared/anthropic-messages.ts';
import { catalogOf } from '../shared/catalog.ts';
import { JINA_RERANK } from '../shared/jina-rerank.ts';
import { OPENAI_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_EMBEDDINGS, WITHOUT_INPUT_TYPE } from '../shared/openai-embeddings.ts';
import { OPENAI_RESPONSES } from '../shared/openai-responses.ts';
import { SYSTEM_BESIDE_MESSAGES } from '../shared/quirks.ts';
import { families } from './families.ts';
import { alibabaGoverns } from './governs.ts';
import yaml from './models.yaml' with { type: 'text' };
import { chatQuirks } from './quirks.ts';

/**
 * The native API is next to the compatible one on every region's host, so the path is relative to a channel's own base address,
 * even if that already ends with `/api/v1`.
 */
const DASHSCOPE_API = '/../../api/v1';
const RERANK_API = '/../../compatible-api/v1/reranks';

/**
 * Singapore; keys of mainland China need `https://dashscope.aliyuncs.com/compatible-mode/v1` as the channel's base address.
 * Responses are used only by channels that name them: the page "OpenAI Responses API Reference" says that `instructions` and
 * every unlisted parameter are ignored, so an agent's system prompt would be lost without an error.
 */
export const alibaba: ProviderManifest = {
  name: 'alibaba',
  label: 'Alibaba Cloud Model Studio',
  baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  keyVariables: ['DASHSCOPE_API_KEY'],
  keyRequired: true,
  formats: [
    { ...OPENAI_CHAT, quirks: chatQuirks, governs: alibabaGoverns },
    {
      ...ANTHROPIC_MESSAGES,
      quirks: SYSTEM_BESIDE_MESSAGES,
      baseUrl: 'https://dashscope-intl.aliyuncs.com/apps/anthropic/v1',
      governs: alibabaGoverns,
    },
    {
      ...OPENAI_RESPONSES,
      baseUrl: 'https://dashscope-intl.aliyuncs.com/api/v2/apps/protocols/compatible-mode/v1',
      optIn: true,
      governs: alibabaGoverns,
    },
  ],
  wires: [
    {
      ...OPENAI_EMBEDDINGS,
      members: { ...WITHOUT_INPUT_TYPE, user: null },
      // The page "OpenAI compatible - Embedding": rows per request; "Only float is supported"; text only.
      embeddings: [
        { models: /^text-embedding-v[12]$/, isTextOnly: true, mostInputs: 25 },
        { isTextOnly: true, mostInputs: 10 },
      ],
    },
    // The page "Rerank": `POST /compatible-api/v1/reranks` has Jina's members, except for these two.
    { ...JINA_RERANK, path: RERANK_API, members: { return_documents: null, truncation: null } },
    { wire: 'dashscope-videos', path: DASHSCOPE_API },
  ],
  families,
  models: catalogOf('alibaba', yaml),
  modelList: OPENAI_MODELS,
};
