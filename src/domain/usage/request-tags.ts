import { Failure } from '../failure/failure.ts';

/** The words by which a client labels a request, so that usage can be summed by them: each as `key=value`, each key once. */
export interface RequestTags {
  /** As the request has them. */
  readonly given: readonly string[];
  /** As they are summed: a value beyond the bound of distinct ones is `(other)`. */
  readonly summed: readonly string[];
}

export const NO_TAGS: RequestTags = { given: [], summed: [] };

export const TAGS_HEADER = 'x-switchyard-tags';
/** The value that stands for all that are too many to be summed apart. */
export const OTHER_VALUE = '(other)';
const MOST_TAGS = 16;
const KEY = /^[A-Za-z0-9._-]{1,64}$/;
/** Code points; no control and format characters, no half of a surrogate pair, no line end, no comma. */
const VALUE = /^[^\p{C}\p{Zl}\p{Zp},]{1,64}$/u;
const HINT = `Send for example \`${TAGS_HEADER}: team=search,project=x\`.`;

export function tagKeyOf(tag: string): string {
  return tag.slice(0, tag.indexOf('='));
}

export function isTagKey(text: string): boolean {
  return KEY.test(text);
}

export function isTag(text: string): boolean {
  const [key, value] = partsOf(text);
  return KEY.test(key) && VALUE.test(value);
}

/** The tags of the header; what is malformed in it is refused, since nobody would find it in the sums. */
export function tagsInHeader(header: string): readonly string[] | Failure {
  const tags: string[] = [];
  const keys = new Set<string>();
  for (const word of header.split(',')) {
    if (word.trim() === '') continue;
    const [key, value] = partsOf(word);
    if (!KEY.test(key)) {
      return wrong(
        `has the key \`${shown(key)}\`; keys are 1 to 64 letters, digits, ".", "_" and "-", followed by "="`,
      );
    }
    if (!VALUE.test(value)) {
      return wrong(`has for \`${key}\` the value \`${shown(value)}\`; values are 1 to 64 printable characters`);
    }
    if (keys.has(key)) return wrong(`has \`${key}\` twice`);
    keys.add(key);
    tags.push(`${key}=${value}`);
  }
  return tags.length <= MOST_TAGS ? tags : wrong(`has ${tags.length} tags; ${MOST_TAGS} are the most`);
}

/** Adds what fits of a body's `metadata`; it has other uses, too, so nothing in it is refused. The tags that are there come first. */
export function withMetadata(tags: readonly string[], metadata: object): readonly string[] {
  const all = [...tags];
  const keys = new Set(tags.map(tagKeyOf));
  for (const [key, value] of Object.entries(metadata)) {
    if (all.length >= MOST_TAGS) break;
    if (typeof value !== 'string' || keys.has(key) || !KEY.test(key) || !VALUE.test(value)) continue;
    all.push(`${key}=${value}`);
  }
  return all;
}

function partsOf(word: string): [key: string, value: string] {
  const at = word.indexOf('=');
  return at === -1 ? [word.trim(), ''] : [word.slice(0, at).trim(), word.slice(at + 1).trim()];
}

function shown(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function wrong(problem: string): Failure {
  return new Failure('invalid_value', {
    message: `The header \`${TAGS_HEADER}\` ${problem}.`,
    param: TAGS_HEADER,
    hint: HINT,
  });
}
