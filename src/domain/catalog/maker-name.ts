/** Other names of makers: at the beginning of an id (`meta-llama/…`, `zai-org/…`), and of the company behind a brand. */
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
  ['kuaishou', 'kling'],
  ['kwaivgi', 'kling'],
  ['shengshu', 'vidu'],
  ['suno-ai', 'suno'],
  ['meta-models', 'meta'],
  ['stabilityai', 'stability'],
  ['stepfun-ai', 'stepfun'],
  ['wan-ai', 'alibaba'],
  ['xiaomimimo', 'xiaomi'],
  ['bfl', 'black-forest-labs'],
  ['x-ai', 'xai'],
  ['spacexai', 'xai'],
]);

/** Returns the one name under which the catalog has a maker. */
export function makerName(name: string): string {
  return SPELLINGS.get(name) ?? name;
}

/** Returns every other name of a maker. */
export function otherMakerNames(): readonly string[] {
  return [...SPELLINGS.keys()];
}
