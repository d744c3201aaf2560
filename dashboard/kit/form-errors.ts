/** What the gateway says of one member of a body, without the member's name before it. */
export interface Problem {
  readonly param: string | null;
  readonly message: string;
}

/** A refusal names each member that is wrong in one line: `api_key: is required; settings.region: is unknown.` */
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

/** An address or an id at the beginning stays as it is written. */
function sentenceOf(text: string): string {
  return text.replace(/^[a-z]+(?= )/, (word) => word.charAt(0).toUpperCase() + word.slice(1));
}

export interface Place {
  readonly field: string;
  /** The way from the field to what is wrong, as a person reads it; empty where it is the field itself. */
  readonly within: string;
}

/**
 * Where a form shows what is wrong with `param`: `models[2]` belongs to the field `models`, or to `models.2` where there is one. The
 * longest name wins. Undefined where no field has to do with it.
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

/** `models[2]`, `models["a/b"]`, `models.a`: the index of a list, a quoted name, a plain one. */
const PART = /\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+)/g;

/** `settings.regions[2]` and `settings.regions.2` are the same way down. */
function partsOf(path: string): string[] {
  return [...path.matchAll(PART)].map(([, index, quoted, plain]) => index ?? quoted ?? plain ?? '');
}

/** People count the members of a list from one. */
function withinOf(param: string, skipped: number): string {
  return [...param.matchAll(PART)]
    .slice(skipped)
    .map(([, index, quoted, plain]) => (index === undefined ? (quoted ?? plain) : `#${Number(index) + 1}`))
    .join(' ');
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
