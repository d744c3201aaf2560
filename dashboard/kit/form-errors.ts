/**
 * The field of a form that an error's `param` is about: `models[2]` belongs to the field `models`, or to `models.2` where there is one.
 * The longest name wins. Undefined where no field has to do with it.
 */
export function fieldOfParam(
  param: string | null,
  names: Iterable<string>,
  aliases: Readonly<Record<string, string>> = {},
): string | undefined {
  if (param === null) return undefined;
  const wanted = partsOf(param);
  const candidates = [
    ...[...names].map((name) => ({ name, parts: partsOf(name) })),
    ...Object.entries(aliases).map(([member, name]) => ({ name, parts: partsOf(member) })),
  ].filter(({ parts }) => parts.length > 0 && parts.every((part, index) => part === wanted[index]));
  return candidates.sort((one, other) => other.parts.length - one.parts.length)[0]?.name;
}

/** `settings.regions[2]` and `settings.regions.2` are the same way down. */
function partsOf(path: string): string[] {
  return path.split(/[.[\]]+/).filter((part) => part !== '');
}

/** Of the errors of a form at one name: that of the field itself, else the first one within it. */
export function firstMessage(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { message, root, ref: _, ...inner } = error as Record<string, unknown>;
  if (typeof message === 'string' && message !== '') return message;
  for (const one of [root, ...Object.values(inner)]) {
    const found = firstMessage(one);
    if (found !== undefined) return found;
  }
  return undefined;
}
