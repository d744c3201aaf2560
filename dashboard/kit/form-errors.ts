/** An error about one member of a body, without the member's name. */
export interface Problem {
  readonly param: string | null;
  readonly message: string;
}

/** Splits a refusal, which names each invalid member: `api_key: is required; settings.region: is unknown.` */
export function problemsOf({ message, param }: Problem): readonly [Problem, ...Problem[]] {
  if (param === null || !message.startsWith(`${param}: `)) return [{ param, message }];
  const [first = '', ...others] = message.slice(param.length + 2).split(/; (?=[a-z][\w.-]*(?:\[[^\]]*\][\w.-]*)*: )/);
  return [
    { param, message: sentenceOf(first) },
    ...others.map((other) => {
      const end = other.indexOf(': ');
      return { param: other.slice(0, end), message: sentenceOf(other.slice(end + 2)) };
    }),
  ];
}

/** Capitalizes a sentence, unless it begins with an address or an id. */
function sentenceOf(text: string): string {
  return text.replace(/^[a-z]+(?= )/, (word) => word.charAt(0).toUpperCase() + word.slice(1));
}

export interface Place {
  readonly field: string;
  /** The readable path from the field to the error; empty for the field itself. */
  readonly within: string;
}

/**
 * Returns the place of an error about `param` in a form: `models[2]` belongs to the field `models`, or to `models.2` if it exists. The
 * longest name wins. Returns undefined if no field matches.
 */
export function placeOfParam(
  param: string | null,
  names: Iterable<string>,
  aliases: Readonly<Record<string, string>> = {},
): Place | undefined {
  if (param === null) return undefined;
  const wanted = partsOf(param);
  const [best] = [
    ...[...names].map((name) => ({ field: name, parts: partsOf(name) })),
    ...Object.entries(aliases).map(([member, field]) => ({ field, parts: partsOf(member) })),
  ]
    .filter(({ parts }) => parts.length > 0 && parts.every((part, index) => part === wanted[index]))
    .sort((one, other) => other.parts.length - one.parts.length);
  return best && { field: best.field, within: withinOf(param, best.parts.length) };
}

/** A part of `models[2]`, `models["a/b"]`, `models.a`: an index, a quoted name, or a plain one. */
const PART = /\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+)/g;

/** Splits a path; `settings.regions[2]` and `settings.regions.2` have the same parts. */
function partsOf(path: string): string[] {
  return [...path.matchAll(PART)].map(([, index, quoted, plain]) => index ?? quoted ?? plain ?? '');
}

/** Formats a path for people, who count from one. */
function withinOf(param: string, skipped: number): string {
  return [...param.matchAll(PART)]
    .slice(skipped)
    .map(([, index, quoted, plain]) => (index === undefined ? (quoted ?? plain) : `#${Number(index) + 1}`))
    .join(' ');
}

/** Returns the error of the field itself, else the first one within it. */
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
