/** Removes matching items from a list or map, or only counts them; returns their number. */
export function removeWhere<Item>(
  items: Item[] | Map<string, Item>,
  isCounted: boolean,
  matches: (item: Item) => boolean,
): number {
  if (items instanceof Map) {
    const leaving = [...items].filter(([, item]) => matches(item));
    for (const [key] of isCounted ? [] : leaving) items.delete(key);
    return leaving.length;
  }
  const kept = items.filter((item) => !matches(item));
  const matching = items.length - kept.length;
  if (!isCounted) items.splice(0, items.length, ...kept);
  return matching;
}
