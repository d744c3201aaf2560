/** Other names of makers: id prefixes (`meta-llama/…`, `zai-org/…`), and companies behind a brand. */
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

/** Returns the name that the catalog uses for a maker. */
export function makerName(name: string): string {
  return SPELLINGS.get(name) ?? name;
}

/** Returns all alternative names of makers. */
export function otherMakerNames(): readonly string[] {
  return [...SPELLINGS.keys()];
}
