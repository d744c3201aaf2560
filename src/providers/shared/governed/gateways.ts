import type { GovernedMember } from '../governed-member.ts';
import { governs, tiersWithoutPrice } from './members.ts';

const ROUTES =
  'OpenRouter, "Model routing": another model may respond, if the first one fails or if OpenRouter chooses one.';
const HOSTS = 'OpenRouter, "Provider routing": the hosts of a model have different prices.';
const TOOLS = 'OpenRouter, "Plugins" and "Server tools": OpenRouter runs these and bills them separately.';

/** OpenRouter's members, which are the same in its three formats. */
export const OPENROUTER_GOVERNS: readonly GovernedMember[] = [
  ...governs({ kind: 'names-model' }, ROUTES, 'models[]', 'fallbacks[].model', 'plugins[].model', 'plugins[].models[]'),
  ...governs(
    { kind: 'chooses-model' },
    ROUTES,
    'route',
    'preset',
    ['plugins[].id', /router|fusion/],
    ['tools[].type', /^(?:openrouter:)?(?:advisor|fusion|subagent|search_models|image_generation)/],
  ),
  ...governs(
    { kind: 'unpriced' },
    HOSTS,
    'provider.order[]',
    'provider.only[]',
    'provider.ignore[]',
    'provider.sort',
    'provider.quantizations[]',
    'provider.data_collection',
    'provider.zdr',
    'provider.enforce_distillable_text',
    'provider.require_parameters',
    'provider.preferred_min_throughput',
    'provider.preferred_max_latency',
  ),
  ...governs(
    { kind: 'unpriced' },
    TOOLS,
    ['plugins[].id', /^(?!response-healing$|context-compression$|.*router|fusion)/],
    [
      'tools[].type',
      /^(?:openrouter:(?!advisor|fusion|subagent|search_models|image_generation)|web_|code_|file_search|mcp|shell|bash_)/,
    ],
    'web_search_options',
  ),
  ...tiersWithoutPrice('OpenRouter, "Service tiers": the price of a tier depends on the host.'),
  ...governs({ kind: 'unpriced' }, 'OpenRouter, "Service tiers": faster responses cost more.', [
    'speed',
    /^(?!standard$)/,
  ]),
  ...governs({ kind: 'unpriced' }, 'The response comes later, so the gateway does not see its cost.', 'background'),
];

const VERCEL_ROUTES = 'Vercel, "Model fallbacks": the request is billed by the model that responds.';

/** AI Gateway's members in each of its three formats. */
export const VERCEL_GOVERNS: readonly GovernedMember[] = [
  ...governs(
    { kind: 'names-model' },
    VERCEL_ROUTES,
    'models[]',
    'fallbacks[].model',
    'providerOptions.gateway.models[]',
  ),
  ...governs(
    { kind: 'unpriced' },
    'Vercel, "Provider options": providers and their services have different prices.',
    'providerOptions.gateway.order[]',
    'providerOptions.gateway.only[]',
    'providerOptions.gateway.sort',
    'providerOptions.gateway.serviceTier',
    'providerOptions.gateway.byok',
    ['speed', /^(?!standard$)/],
    ['tools[].type', /^(?:vercel:|web_|code_|file_search|mcp|image_generation|perplexity_|parallel_|exa_)/],
    'web_search_options',
    'background',
  ),
  ...tiersWithoutPrice('Vercel, "Service tiers": the price of a tier depends on the provider.'),
];

/**
 * An unknown server may be any of the gateways with this format, so their governed members apply here. An operator who uses one
 * for prepaid accounts sets its prices; an operator's own server ignores all of these.
 */
export const ANY_SERVER_GOVERNS: readonly GovernedMember[] = [
  ...OPENROUTER_GOVERNS,
  ...VERCEL_GOVERNS.filter(({ member }) => member.startsWith('providerOptions.')),
  ...governs(
    { kind: 'names-model' },
    'LiteLLM, "Fallbacks": another model responds if the first one fails.',
    ['fallbacks[]', /./],
    ['context_window_fallbacks[]', /./],
    ['content_policy_fallbacks[]', /./],
  ),
  ...governs(
    { kind: 'chooses-model' },
    'LiteLLM, "Clientside LLM Credentials": its models and fallbacks replace those of the server.',
    'user_config',
  ),
  ...governs({ kind: 'unpriced' }, 'It adds a web search to the request.', 'search_parameters', 'enable_search'),
  ...governs({ kind: 'chooses-model' }, 'Another model may respond.', 'compound_custom', 'model_list[]'),
  ...governs({ kind: 'owners-own' }, "It reads from an index of the key's owner.", 'data_sources[]'),
];

/** The same for images, where `background` is an ordinary parameter. */
export const ANY_IMAGE_SERVER_GOVERNS: readonly GovernedMember[] = ANY_SERVER_GOVERNS.filter(
  ({ member }) => member !== 'background',
);

/** The same for speech, where `speed` is the speed of the voice. */
export const ANY_SPEECH_SERVER_GOVERNS = withoutSpeed(ANY_SERVER_GOVERNS);
export const OPENROUTER_SPEECH_GOVERNS = withoutSpeed(OPENROUTER_GOVERNS);

function withoutSpeed(members: readonly GovernedMember[]): readonly GovernedMember[] {
  return members.filter(({ member }) => member !== 'speed');
}
