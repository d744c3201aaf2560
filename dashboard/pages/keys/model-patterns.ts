/** Returns the patterns that match no model, in which `*` stands for any run of characters, as the gateway reads them. */
export function unmatched(patterns: readonly string[], models: readonly string[]): readonly string[] {
  const known = new Set(models);
  return patterns.filter((pattern) => {
    if (!pattern.includes('*')) return !known.has(pattern);
    const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    const expression = new RegExp(`^${parts.join('.*')}$`, 's');
    return !models.some((model) => expression.test(model));
  });
}
