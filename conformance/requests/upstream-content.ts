import { asObject } from '../shared/json.ts';
import { innerLeaves, type Leaf, leavesWithin, plainPath } from './json-leaves.ts';
import type { ReceivedRequest } from './recording-upstream.ts';
import type { TargetFormat } from './targets.ts';

/** Shorter texts may occur by chance within longer words. */
const SHORT_TEXT_CHARACTERS = 12;

/**
 * Names of the same number or flag in different formats. Names that differ only in spelling need no entry.
 */
const SAME_NAMES: readonly (readonly string[])[] = [
  ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'num_predict'],
  ['top_p', 'p'],
  ['top_k', 'k'],
  ['n', 'candidate_count'],
  ['seed', 'random_seed'],
  ['logprobs', 'response_logprobs'],
  ['top_logprobs', 'logprobs'],
  ['budget_tokens', 'thinking_budget', 'token_budget'],
  ['strict', 'strict_tools'],
];

/** The content of a request that an upstream received, which can be searched for the client's values. */
export class UpstreamContent {
  readonly body: Readonly<Record<string, unknown>>;
  readonly url: string;
  private readonly leaves: readonly Leaf[];
  private readonly strings: ReadonlySet<string>;
  private readonly text: string;
  private readonly members: ReadonlySet<string>;
  private knownPlaces: ReadonlySet<string> | null = null;
  private readonly counts: ReadonlyMap<string, number>;

  constructor(
    readonly target: TargetFormat,
    received: Pick<ReceivedRequest, 'url' | 'body'>,
  ) {
    this.url = decodeURIComponent(received.url);
    this.body = asObject(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(received.body)));
    this.leaves = leavesWithin(this.body);
    const strings = this.leaves.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
    this.strings = new Set(strings);
    this.text = strings.join('\u0000');
    const counts = new Map<string, number>();
    for (const text of strings) counts.set(text, (counts.get(text) ?? 0) + 1);
    this.counts = counts;
    this.members = new Set(this.leaves.map(({ key, value }) => `${plainPath(key)}=${String(value).toLowerCase()}`));
  }

  has({ key, value }: Leaf): boolean {
    if (typeof value === 'string') return this.hasText(value);
    return this.hasMember(key, value) || this.strings.has(String(value));
  }

  /**
   * Returns whether the text is a value or a part of one; JSON text may arrive as its leaves, a data URI as
   * its bytes.
   */
  hasText(value: string): boolean {
    if (this.strings.has(value) || this.contains(value)) return true;
    const bytes = /^data:[^,]*;base64,(.*)$/s.exec(value)?.[1];
    if (bytes !== undefined) return this.hasBytes(bytes);
    const inner = innerLeaves({ path: '', key: '', value });
    return inner.length > 0 && inner.every((leaf) => this.has(leaf));
  }

  /** Returns whether the bytes occur in base64 or as text. */
  hasBytes(base64: string): boolean {
    // Padding and alphabet vary: Gemini also accepts URL-safe base64.
    const standard = base64.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
    return this.text.includes(standard) || this.contains(Buffer.from(base64, 'base64').toString('utf8'));
  }

  /** Returns whether a member with this name, or a synonym, has this value; case is ignored. */
  hasMember(name: string, value: string | number | boolean): boolean {
    const names = [name, ...SAME_NAMES.flatMap((same) => (includesName(same, name) ? same : []))];
    return names.some((one) => this.members.has(`${plainPath(one)}=${String(value).toLowerCase()}`));
  }

  /**
   * Returns whether the value is at the same place in its parent, such as `city.type` in a schema; case is
   * ignored.
   */
  hasAtPlace({ path, value }: Leaf): boolean {
    this.knownPlaces ??= new Set(this.leaves.map(placeAndValue));
    return this.knownPlaces.has(placeAndValue({ path, value }));
  }

  /** Returns whether the value is at the same place as the only branch of an `anyOf`, which is equivalent. */
  hasAsOnlyChoice({ path, key, value }: Leaf): boolean {
    const list = `.${path.split('.').at(-2)}.anyOf`;
    return this.leaves.some((leaf) => {
      if (leaf.value !== value || !leaf.path.endsWith(`${list}[0].${key}`)) return false;
      const second = `${leaf.path.slice(0, -`[0].${key}`.length)}[1]`;
      return !this.leaves.some((other) => other.path.startsWith(second));
    });
  }

  /** Returns whether a whole value matches. */
  hasMatch(pattern: RegExp): boolean {
    return [...this.strings].some((text) => pattern.test(text));
  }

  /** Returns how often the text is a whole value. */
  values(text: string): number {
    return this.counts.get(text) ?? 0;
  }

  /** Returns how often the text occurs, within longer values too. */
  occurrences(value: string, limit = Number.POSITIVE_INFINITY): number {
    const isShort = value.length <= SHORT_TEXT_CHARACTERS;
    let count = 0;
    for (let at = this.text.indexOf(value); at >= 0 && count < limit; at = this.text.indexOf(value, at + 1)) {
      const isPartOfWord = isWordCharacter(this.text[at - 1]) || isWordCharacter(this.text[at + value.length]);
      if (!isShort || !isPartOfWord) count++;
    }
    return count;
  }

  private contains(value: string): boolean {
    return this.occurrences(value, 1) > 0;
  }
}

/**
 * Returns the last two member names of a path without their spelling, as Gemini's schemas use both spellings.
 */
function lastPlace(path: string): string {
  const names = path.replace(/\[\d+\]/g, '').split('.');
  return plainPath(names.slice(-2).join('.'));
}

function placeAndValue({ path, value }: Pick<Leaf, 'path' | 'value'>): string {
  return `${lastPlace(path)}=${String(value).toLowerCase()}`;
}

function includesName(names: readonly string[], name: string): boolean {
  return names.some((one) => plainPath(one) === plainPath(name));
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}
