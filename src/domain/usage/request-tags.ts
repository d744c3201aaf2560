import { Failure } from '../failure/failure.ts';

/** A client's labels for a request, by which usage can be aggregated: each is `key=value`, with distinct keys. */
export interface RequestTags {
  /** The tags as the request states them. */
  readonly given: readonly string[];
  /** The tags as they are aggregated: a value beyond the limit of distinct ones becomes `(other)`. */
  readonly summed: readonly string[];
}

export const NO_TAGS: RequestTags = { given: [], summed: [] };

export const TAGS_HEADER = 'x-switchyard-tags';
/** Stands for all values beyond the limit. */
export const OTHER_VALUE = '(other)';
/** The key under which usage is summed by end user. */
export const END_USER_KEY = 'end_user';
const MOST_TAGS = 16;
const MOST_VALUE = 64;
const KEY = /^[A-Za-z0-9._-]{1,64}$/;
/** Code points without control and format characters, surrogate halves, line ends and commas. */
const VALUE = /^[^\p{C}\p{Zl}\p{Zp},]{1,64}$/u;
const HINT = `For example, send \`${TAGS_HEADER}: team=search,project=x\`.`;

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

/**
 * Returns the tags in the header. Malformed ones are refused, because they would be missing from the aggregates without notice.
 */
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
      return wrong(`has the value \`${shown(value)}\` for \`${key}\`; values are 1 to 64 printable characters`);
    }
    if (keys.has(key)) return wrong(`has \`${key}\` twice`);
    keys.add(key);
    tags.push(`${key}=${value}`);
  }
  return tags.length <= MOST_TAGS ? tags : wrong(`has ${tags.length} tags; the limit is ${MOST_TAGS}`);
}

/**
 * Adds the valid tags from a body's `metadata`, which has other uses too, so nothing in it is refused. Existing tags come first.
 */
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

/**
 * Adds the client's end user as the tag `end_user`, unless the client has set that tag itself. A name that is no valid value is shortened
 * and gets its hash, so that it stays distinct.
 */
export function withEndUser(tags: readonly string[], user: string): readonly string[] {
  const name = user.trim();
  if (name === '' || tags.some((tag) => tagKeyOf(tag) === END_USER_KEY)) return tags;
  return [...tags, `${END_USER_KEY}=${VALUE.test(name) ? name : shortened(name)}`];
}

function shortened(name: string): string {
  const hash = `~${hashOf(name)}`;
  const printable = name.toWellFormed().replaceAll(/[\p{C}\p{Zl}\p{Zp},]/gu, '_');
  return `${[...printable].slice(0, MOST_VALUE - hash.length).join('')}${hash}`;
}

/** Returns 64 bits of two FNV-1a hashes, which distinguish the end users of an account. */
function hashOf(text: string): string {
  const [one, other] = [0x81_1c_9d_c5, 0x01_00_01_93].map((seed) => {
    let hash = seed;
    for (let index = 0; index < text.length; index++)
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93) >>> 0;
    return hash.toString(36);
  });
  return `${one}${other}`;
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
