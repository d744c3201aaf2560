import type { GovernedMember } from '../governed-member.ts';
import { governs, inBothSpellings } from './members.ts';

const SEARCH = 'Google, "Grounding with Google Search": searches are billed in addition to their tokens.';

/** Members of generateContent at Google and Vertex AI, in both spellings. */
export const GEMINI_GOVERNS: readonly GovernedMember[] = inBothSpellings([
  ...governs(
    {
      kind: 'token-price',
      factors: { standard: '1', unspecified: '1', service_tier_unspecified: '1', flex: '0.5', priority: '2' },
      isTier: true,
    },
    'Google, "Optimization and inference": flex costs half, priority up to twice as much.',
    'serviceTier',
  ),
  ...governs({ kind: 'web-search' }, SEARCH, 'tools[].googleSearch', 'tools[].googleSearchRetrieval'),
  ...governs(
    { kind: 'hosted-tool' },
    'Google, "Code execution", "URL context" and "File search": the content that they add is billed as tokens.',
    'tools[].codeExecution',
    'tools[].urlContext',
    'tools[].fileSearch',
    'tools[].mcpServers[]',
  ),
  ...governs(
    { kind: 'unpriced' },
    'Google, "Pricing": it is billed per prompt, but responses do not report it.',
    'tools[].googleMaps',
    'tools[].enterpriseWebSearch',
    'tools[].exaAiSearch',
    'tools[].parallelAiSearch',
  ),
  ...governs(
    { kind: 'owners-own' },
    "Vertex AI: it names a resource of the channel's project.",
    'tools[].retrieval',
    'modelArmorConfig',
  ),
  ...governs({ kind: 'names-model' }, 'The API reference: it names the model that responds.', 'model'),
  ...governs(
    { kind: 'chooses-model' },
    'Vertex AI, "Model optimizer": Google chooses the model.',
    'generationConfig.routingConfig',
    'generationConfig.modelConfig',
  ),
]);
