import { makerName } from '../../domain/catalog/maker-name.ts';

/** Words before a slash that are not the model's maker: a cloud, a router, a recipe. */
const NO_MAKERS: ReadonlySet<string> = new Set([
  'accounts',
  'azure',
  'bedrock',
  'fireworks',
  'google-vertex',
  'models',
  'preset',
  'vertex',
  'vertex_ai',
]);

/**
 * Parts of names that imply the maker. Models built on somebody else's come first, since a Nemotron may have Llama in its name. Among the
 * others, the one that occurs first in the name counts: `deepseek-r1-distill-llama-70b`.
 */
const BUILT_ON_OTHERS: readonly (readonly [RegExp, string])[] = [
  [part('nemotron|nemoretriever'), 'nvidia'],
  [part('hermes'), 'nousresearch'],
  [part('cogito'), 'deepcogito'],
  [part('dolphin'), 'cognitivecomputations'],
];
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^o[1-9](?=$|-)/, 'openai'],
  [/^(?:ada|babbage|davinci|codex|computer-use)(?=$|-)/, 'openai'],
  [/^(?:text-embedding-00|deep-research|nano-banana|antigravity)/, 'google'],
  [/^(?:command|embed|rerank|c4ai|aya)(?=$|-)/, 'cohere'],
  [/^(?:nova|titan)(?=$|-)/, 'amazon'],
  [/^yi-/, '01-ai'],
  [part('gpt|chatgpt|dall-e|whisper|text-embedding-(?:3|ada)|tts-1|sora'), 'openai'],
  [part('claude'), 'anthropic'],
  [part('gemini|gemma|codegemma|imagen|veo|lyria|learnlm'), 'google'],
  [part('llama|codellama|llamaguard'), 'meta'],
  [part('mistral|mixtral|ministral|codestral|magistral|devstral|pixtral|voxtral|mathstral'), 'mistral'],
  [part('qwen|qwq|qvq|wan'), 'alibaba'],
  [part('deepseek'), 'deepseek'],
  [part('kimi|moonshot'), 'moonshot'],
  [part('glm|chatglm|zai'), 'zai'],
  [part('grok'), 'xai'],
  [part('minimax'), 'minimax'],
  [part('phi'), 'microsoft'],
  [part('sonar'), 'perplexity'],
  [part('flux'), 'black-forest-labs'],
  [part('stable-diffusion|sdxl|stablecode|stablelm'), 'stability'],
  [part('nomic'), 'nomic'],
  [part('bge'), 'baai'],
  [part('starcoder|starcoder2'), 'bigcode'],
  [part('snowflake|arctic'), 'snowflake'],
  [part('dbrx'), 'databricks'],
  [part('ernie'), 'baidu'],
  [part('internvl|internlm'), 'opengvlab'],
  [part('ssd'), 'segmind'],
];

/** Regions before the maker's name in the ids of inference profiles (Bedrock user guide, "Cross-Region inference"). */
const PROFILE_REGION = /^(?:global|us|us-gov|eu|apac|jp|au|ca|in)\./;

/** Returns the maker of a model in lower case, from its id; `undefined` if the id does not contain it. */
export function makerOf(provider: string, id: string): string | undefined {
  const lower = id.toLowerCase();
  const maker = provider === 'bedrock' ? bedrockMaker(lower) : makerInPath(lower);
  if (maker !== undefined && !NO_MAKERS.has(maker)) return makerName(maker);
  // A model at Vertex without another maker is Google's own.
  return makerInName(lower.slice(lower.lastIndexOf('/') + 1)) ?? (provider === 'vertex' ? 'google' : undefined);
}

function makerInName(name: string): string | undefined {
  for (const [pattern, maker] of BUILT_ON_OTHERS) if (pattern.test(name)) return maker;
  let first = { at: Number.POSITIVE_INFINITY, maker: undefined as string | undefined };
  for (const [pattern, maker] of FAMILIES) {
    const at = name.search(pattern);
    if (at >= 0 && at < first.at) first = { at, maker };
  }
  return first.maker;
}

/** Returns a pattern for a word in a name, which digits may follow: it matches `qwen3` and `llama-v3`, but not `swan`. */
function part(words: string): RegExp {
  return new RegExp(`(?<![a-z0-9])(?:${words})(?![a-z])`);
}

function bedrockMaker(id: string): string | undefined {
  return /^([a-z0-9]+)\./.exec(id.replace(PROFILE_REGION, ''))?.[1];
}

/** Returns `openai` for `openai/gpt-oss-120b`, and nothing for `accounts/fireworks/models/…`, which names no maker. */
function makerInPath(id: string): string | undefined {
  return /^([a-z0-9][a-z0-9._-]*)\/[^/]+$/.exec(id)?.[1];
}
