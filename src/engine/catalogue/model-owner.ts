/** Makers whose name is at the beginning of an id in several spellings: `meta-llama/…`, `zai-org/…`, `amazon.…`. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['meta-llama', 'meta'],
  ['mistralai', 'mistral'],
  ['mistral-ai', 'mistral'],
  ['deepseek-ai', 'deepseek'],
  ['zai-org', 'zai'],
  ['z-ai', 'zai'],
  ['moonshotai', 'moonshot'],
  ['minimaxai', 'minimax'],
  ['qwen', 'alibaba'],
  ['bytedance-seed', 'bytedance'],
  ['nomic-ai', 'nomic'],
  ['klingai', 'kling'],
  ['meta-models', 'meta'],
  ['stabilityai', 'stability'],
  ['stepfun-ai', 'stepfun'],
  ['wan-ai', 'alibaba'],
  ['xiaomimimo', 'xiaomi'],
  ['bfl', 'black-forest-labs'],
  ['x-ai', 'xai'],
  ['spacexai', 'xai'],
]);

/** How ids begin that name no maker. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^(gpt|o\d|chatgpt|dall-e|whisper|text-embedding-(3|ada)|tts-1|sora|davinci|babbage)/, 'openai'],
  [/^claude/, 'anthropic'],
  [/^(gemini|gemma|imagen|veo|text-embedding-00)/, 'google'],
  [/^(meta-)?llama/, 'meta'],
  [/^(mistral|mixtral|ministral|codestral|magistral|devstral|pixtral|voxtral)/, 'mistral'],
  [/^(qwen|qwq)/, 'alibaba'],
  [/^deepseek/, 'deepseek'],
  [/^kimi/, 'moonshot'],
  [/^glm/, 'zai'],
  [/^grok/, 'xai'],
  [/^minimax/, 'minimax'],
  [/^(command|c4ai)/, 'cohere'],
  [/^nemotron/, 'nvidia'],
  [/^sonar/, 'perplexity'],
  [/^flux/, 'black-forest-labs'],
  [/^phi-/, 'microsoft'],
];

/** Regions before the maker's name in the ids of inference profiles (Bedrock user guide, "Cross-Region inference"). */
const PROFILE_REGION = /^(?:global|us|us-gov|eu|apac|jp|au|ca)\./;

/** Who made a model, in lower case, as its id tells; `undefined` where it does not. */
export function makerOf(provider: string, id: string): string | undefined {
  const lower = id.toLowerCase();
  const maker = provider === 'bedrock' ? bedrockMaker(lower) : makerInPath(lower);
  if (maker !== undefined) return SPELLINGS.get(maker) ?? maker;
  const family = lower.slice(lower.lastIndexOf('/') + 1);
  return FAMILIES.find(([beginning]) => beginning.test(family))?.[1];
}

function bedrockMaker(id: string): string | undefined {
  return /^([a-z0-9]+)\./.exec(id.replace(PROFILE_REGION, ''))?.[1];
}

/** `openai` of `openai/gpt-oss-120b`; nothing of `accounts/fireworks/models/…`, which names no maker. */
function makerInPath(id: string): string | undefined {
  return /^([a-z0-9][a-z0-9.-]*)\/[^/]+$/.exec(id)?.[1];
}
