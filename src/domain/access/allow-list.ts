interface AllowList {
  /** Patterns without a star. */
  readonly ids: ReadonlySet<string>;
  /** The other patterns, split at their stars. */
  readonly patterns: readonly (readonly string[])[];
}

/** A list is prepared once, because it may be matched against thousands of models. It is garbage-collected with its key. */
const prepared = new WeakMap<readonly string[], AllowList>();

/**
 * Returns whether a key's allow-list admits a model. A pattern is a model id in which `*` stands for any run of characters,
 * slashes included, so that `openai/*` covers ids with slashes. Matching is case-sensitive, like model ids. The list must not
 * change afterwards.
 */
export function allowsModel(list: readonly string[] | null, modelId: string): boolean {
  if (list === null) return true;
  let allowed = prepared.get(list);
  if (allowed === undefined) {
    allowed = prepare(list);
    prepared.set(list, allowed);
  }
  return allowed.ids.has(modelId) || allowed.patterns.some((parts) => matches(parts, modelId));
}

function prepare(list: readonly string[]): AllowList {
  return {
    ids: new Set(list.filter((pattern) => !pattern.includes('*'))),
    patterns: list.filter((pattern) => pattern.includes('*')).map((pattern) => pattern.split('*')),
  };
}

function matches(parts: readonly string[], text: string): boolean {
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
