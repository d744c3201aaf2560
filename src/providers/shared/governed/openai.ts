import type { GovernedMember } from '../governed-member.ts';
import { forModels, governs, USUAL_TIERS } from './members.ts';

const TIERS = { ...USUAL_TIERS, scale: '1', flex: '0.5' };
const FLEX = 'OpenAI, "Pricing": flex processing costs half of the standard price. ';
const FAST = 'OpenAI, "Fast mode": the page lists the price of each model. ';

/** Returns the price factors of `service_tier`, by model; from the page "Fast mode" and the price page of platform.openai.com. */
function tier(models: RegExp, fast: string): GovernedMember[] {
  const factors = { ...TIERS, priority: fast, fast };
  return forModels(models, governs({ kind: 'token-price', factors, isTier: true }, FLEX + FAST, 'service_tier'));
}

/** The models for which the page states a price. */
const LISTED = [
  ...tier(/^gpt-5\.5/, '2.5'),
  ...tier(/^gpt-5(?!\.5)/, '2'),
  ...tier(/^gpt-4\.1|^o3/, '1.75'),
  ...tier(/^gpt-4o(?!-mini)/, '1.7'),
  ...tier(/^gpt-4o-mini/, '1.666667'),
  ...tier(/^o4-mini/, '1.818182'),
];

const OPENAI_TIERS: readonly GovernedMember[] = [
  ...LISTED,
  ...forModels(
    /^(?!gpt-5|gpt-4\.1|gpt-4o|o3|o4-mini)/,
    governs(
      { kind: 'token-price', factors: TIERS, isTier: true },
      `${FLEX}The page "Fast mode" has no price for this model.`,
      'service_tier',
    ),
  ),
];

const THINKS = /^(?:o\d|gpt-5|gpt-6|codex|computer-use)/;

export const OPENAI_CHAT_GOVERNS: readonly GovernedMember[] = [
  ...OPENAI_TIERS,
  ...forModels(
    /search-preview/,
    governs(
      { kind: 'web-search', usd: '0.025', isUncounted: true },
      'OpenAI, "Pricing": searches by these models cost 25 USD per 1,000 calls.',
      'web_search_options',
    ),
  ),
  ...forModels(
    /^(?!.*search-preview)/,
    governs(
      { kind: 'web-search', usd: '0.01', isUncounted: true },
      'OpenAI, "Pricing": web searches cost 10 USD per 1,000 calls.',
      'web_search_options',
    ),
  ),
];

/** Applies the rules to the request's tools and to tools in items that add some in mid-conversation. */
function inTools(rules: readonly GovernedMember[]): GovernedMember[] {
  return rules.flatMap((rule) => [rule, { ...rule, member: `input[].${rule.member}` }]);
}

const CONTAINER = 'OpenAI, "Pricing": containers are billed per session, but responses do not report their number.';

const DRAWS = 'OpenAI, "Image generation": an image model generates the image and is billed at its own prices.';

/**
 * `image_generation` where OpenAI's image models draw. The document names the first one as the default, the guide a newer one.
 */
export const IMAGE_TOOL: readonly GovernedMember[] = inTools(
  governs(
    {
      ...{ kind: 'image-tool', model: 'model', models: ['gpt-image-1', 'gpt-image-1.5', 'gpt-image-2'] },
      ...{ sizedBy: ['size', 'quality', 'partial_images'], limit: 'max_tool_calls' },
    },
    DRAWS,
    ['tools[].type', /^image_generation/],
  ),
);

/** The same tool for servers that do not document which models draw. */
export const UNKNOWN_IMAGE_TOOL: readonly GovernedMember[] = inTools(
  governs({ kind: 'chooses-model' }, DRAWS, ['tools[].type', /^image_generation/]),
);

/** The other tools of the Responses API that cost something in addition to tokens, or involve another model. */
export const HOSTED_TOOLS: readonly GovernedMember[] = inTools([
  ...governs(
    { kind: 'unpriced' },
    'OpenAI, "Pricing": file searches cost 2.50 USD per 1,000 calls, but responses do not report their number.',
    ['tools[].type', /^file_search/],
  ),
  ...governs(
    { kind: 'unpriced' },
    CONTAINER,
    ['tools[].type', /^code_interpreter/],
    ['tools[].environment.type', /^container/],
  ),
  ...governs(
    { kind: 'names-model' },
    'OpenAI, "Image generation": `model` is the model that generates the image.',
    'tools[].model',
  ),
  ...governs(
    { kind: 'hosted-tool' },
    'OpenAI, "Connectors and remote MCP servers": calls are billed by their tokens.',
    ['tools[].type', /^mcp/],
  ),
]);

export const BACKGROUND = governs(
  { kind: 'unpriced' },
  'OpenAI, "Background mode": the response comes later, so the gateway does not see its cost.',
  'background',
);

export const OPENAI_RESPONSES_GOVERNS: readonly GovernedMember[] = [
  ...OPENAI_TIERS,
  ...BACKGROUND,
  ...inTools([
    ...governs({ kind: 'web-search', usd: '0.01' }, 'OpenAI, "Pricing": web searches cost 10 USD per 1,000 calls.', [
      'tools[].type',
      /^web_search(?!_preview)/,
    ]),
    ...forModels(
      THINKS,
      governs({ kind: 'web-search', usd: '0.01' }, 'OpenAI, "Pricing": 10 USD per 1,000 calls by a reasoning model.', [
        'tools[].type',
        /^web_search_preview/,
      ]),
    ),
    ...forModels(
      /^(?!o\d|gpt-5|gpt-6|codex|computer-use)/,
      governs(
        { kind: 'web-search', usd: '0.025' },
        'OpenAI, "Pricing": 25 USD per 1,000 calls by a model that does not reason.',
        ['tools[].type', /^web_search_preview/],
      ),
    ),
  ]),
  ...IMAGE_TOOL,
  ...HOSTED_TOOLS,
];

/** Tools of this format that other providers may run, at unknown prices. */
export const ANY_WEB_SEARCH = inTools(
  governs({ kind: 'unpriced' }, 'A web search costs more than its tokens.', ['tools[].type', /^web_search/]),
);
