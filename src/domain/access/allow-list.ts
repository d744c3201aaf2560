/**
 * Whether a key's allow-list admits a model. A pattern is a model id in which `*` stands for any run of characters,
 * slashes included, so that `openai/*` covers ids with slashes. Case matters, as it does in model ids.
 */
export function allowsModel(patterns: readonly string[] | null, modelId: string): boolean {
  return patterns === null || patterns.some((pattern) => matches(pattern, modelId));
}

function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*');
  const first = parts[0] ?? '';
  if (parts.length === 1) return pattern === text;
  const last = parts[parts.length - 1] ?? '';
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
