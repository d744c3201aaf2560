import { factorOf } from '../../domain/money/surcharge.ts';
import { entryOf, isRecord } from '../../formats/shared/json/record.ts';
import { type FoundNames, foldedName } from '../../formats/shared/request/governed-names.ts';
import { formatPath } from '../../formats/shared/request/schema-error.ts';
import type { GovernedEffect, GovernedMember } from '../../providers/shared/governed-member.ts';

/** A governed member found in a request. */
export interface GovernedFinding {
  /** The path with its indexes: `tools[2].type`. */
  readonly path: string;
  readonly value: unknown;
  /** The object that contains the member. */
  readonly beside: Readonly<Record<string, unknown>>;
  readonly rule: GovernedMember;
}

/** A name that an upstream may read as a governed member, although it occurs twice or in another spelling. */
export interface Misnamed {
  readonly path: string;
  /** The correct spelling; `null` if the spelling is correct but the name occurs twice. */
  readonly own: string | null;
}

/** A node of the tree of governed paths, one level per step. */
interface Node {
  readonly members: Map<string, Node>;
  /** The node for each element of a list. */
  each: Node | null;
  readonly rules: GovernedMember[];
  /** Caches the rules for texts seen here: nearly all tools are functions, which are thus matched only once. */
  readonly byText: Map<string, readonly GovernedMember[]>;
  /** The correct spellings of the members, by their folded names. */
  readonly spellings: Map<string, string>;
  /** Caches names that were seen here and are not members: the member that each misspells, or `null`. */
  readonly byName: Map<string, string | null>;
}

type TokenPrice = Extract<GovernedEffect, { kind: 'token-price' }>;

/** Clients choose these values, so the memory for them is bounded. */
const MOST_TEXTS = 64;
const MOST_NAMES = 256;
const LONGEST_TEXT = 64;
/** A request with more governed members than this is refused, because unchecked members must not be sent. */
export const MOST_FINDINGS = 100;

const NOTHING: readonly GovernedFinding[] = [];
const NO_RULES: readonly GovernedMember[] = [];

/** The governed members of a format at one provider, indexed for searching bodies. */
export class GovernedMembers {
  private readonly top: Node = emptyNode();
  private readonly headers: readonly GovernedMember[];
  /** Members whose effect is named in answers (a service tier). */
  private readonly tiers: readonly GovernedMember[];
  /** Whether all members are lower case. A body without odd names then cannot misspell any of them. */
  private readonly areLowerCase: boolean;

  constructor(rules: readonly GovernedMember[]) {
    const inBody = rules.filter(({ isHeader }) => isHeader !== true);
    this.headers = rules.filter(({ isHeader }) => isHeader === true);
    this.tiers = rules.filter(({ effect }) => effect.kind === 'token-price' && effect.isTier === true);
    this.areLowerCase = inBody.every(({ member }) => member === member.toLowerCase());
    for (const rule of inBody) {
      this.nodeOf(rule.member).rules.push(rule);
      // A member that bounds another one must not occur twice or in another spelling either.
      for (const member of boundsOf(rule)) this.nodeOf(member);
    }
  }

  /**
   * Returns the first ambiguous name of a body: one that occurs twice, or that upstreams but not this gateway read as a governed member,
   * since Go's `encoding/json` takes `Models` for `models`. `null` for nearly all bodies, without a search.
   */
  misnamed(body: Readonly<Record<string, unknown>>, { duplicates, hasOddNames }: FoundNames): Misnamed | null {
    const twice = duplicates.find((path) => leadsTo(this.top, path));
    if (twice !== undefined) return { path: formatPath(twice), own: null };
    return this.areLowerCase && !hasOddNames ? null : misspelledIn(body, this.top, []);
  }

  /**
   * Returns the governed members in a body and its headers as they go to the upstream. One more than `MOST_FINDINGS` means that there may
   * be any number of them.
   */
  find(
    body: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string>> | null,
    upstreamModel: string,
  ): readonly GovernedFinding[] {
    const walk = new Walk(upstreamModel);
    const { members } = this.top;
    // The body has few members, and most of them are not in the table.
    for (const name in body) {
      const node = members.get(name);
      if (node !== undefined) walk.visit(node, name, body[name], body);
    }
    if (headers !== null && this.headers.length > 0) this.findInHeaders(headers, walk);
    return walk.found ?? NOTHING;
  }

  /** Returns the factor, in millionths, that a tier named in an answer applies to the token price; `null` if it is unknown. */
  factorOfTier(tier: string | null, upstreamModel: string): bigint | null {
    if (tier === null || this.tiers.length === 0) return null;
    const effect = this.tiers.find(({ models }) => models?.test(upstreamModel) !== false)?.effect;
    return effect?.kind === 'token-price' ? factorFor(effect, tier) : null;
  }

  private findInHeaders(headers: Readonly<Record<string, string>>, walk: Walk): void {
    for (const rule of this.headers) {
      for (const value of (headers[rule.member] ?? '').split(',').map((one) => one.trim())) {
        if (value === '' || rule.values?.test(value) === false) continue;
        walk.take({ path: `${rule.member}: ${value}`, value, beside: {}, rule });
      }
    }
  }

  private nodeOf(member: string): Node {
    let node = this.top;
    for (const step of member.split('.')) {
      const [, name = '', lists = ''] = /^(.*?)((?:\[\])*)$/.exec(step) ?? [];
      let next = node.members.get(name);
      if (next === undefined) {
        next = emptyNode();
        node.members.set(name, next);
        // A member may have two correct spellings.
        if (!node.spellings.has(foldedName(name))) node.spellings.set(foldedName(name), name);
      }
      node = next;
      for (let depth = 0; depth < lists.length; depth += 2) {
        node.each ??= emptyNode();
        node = node.each;
      }
    }
    return node;
  }
}

function emptyNode(): Node {
  return {
    ...{ members: new Map(), each: null, rules: [], byText: new Map() },
    ...{ spellings: new Map(), byName: new Map() },
  };
}

/** Returns the other members that bound the cost of the member. */
function boundsOf({ member, effect }: GovernedMember): readonly string[] {
  if (effect.kind === 'web-search') return effect.bound === undefined ? [] : [besideOf(member, effect.bound)];
  if (effect.kind !== 'image-tool') return [];
  return [effect.limit, ...[effect.model, ...effect.sizedBy].map((name) => besideOf(member, name))];
}

/** Returns the path of another member of the same object. */
function besideOf(member: string, name: string): string {
  return [...member.split('.').slice(0, -1), name].join('.');
}

function leadsTo(top: Node, path: readonly PropertyKey[]): boolean {
  let node: Node | undefined = top;
  for (const key of path) {
    if (typeof key === 'number') node = node?.each ?? node;
    // A list may be replaced by its only message.
    else node = node?.members.get(String(key)) ?? node?.each?.members.get(String(key));
  }
  return node !== undefined;
}

/** Walks the parts of the body that the table names, checking all names of the objects there. */
function misspelledIn(value: unknown, node: Node, path: PropertyKey[]): Misnamed | null {
  const { each } = node;
  if (Array.isArray(value)) {
    if (each === null || each.members.size + (each.each === null ? 0 : 1) === 0) return null;
    for (let at = 0; at < value.length; at++) {
      const found = misspelledAt(value[at], each, path, at);
      if (found !== null) return found;
    }
    return null;
  }
  if (!isRecord(value)) return null;
  if (node.members.size > 0) {
    for (const name in value) {
      const next = node.members.get(name);
      const own = next === undefined ? spelledOtherwise(node, name) : null;
      if (own !== null) return { path: formatPath([...path, name]), own };
      const found = next === undefined ? null : misspelledAt(value[name], next, path, name);
      if (found !== null) return found;
    }
  }
  return each === null ? null : misspelledIn(value, each, path);
}

function misspelledAt(value: unknown, node: Node, path: PropertyKey[], step: PropertyKey): Misnamed | null {
  if (typeof value !== 'object') return null;
  path.push(step);
  const found = misspelledIn(value, node, path);
  path.pop();
  return found;
}

/** Returns the member that an unknown name misspells, or `null`. */
function spelledOtherwise({ spellings, byName }: Node, name: string): string | null {
  const known = byName.get(name);
  if (known !== undefined) return known;
  const own = spellings.get(foldedName(name)) ?? null;
  if (byName.size < MOST_NAMES && name.length <= LONGEST_TEXT) byName.set(name, own);
  return own;
}

/** Walks the table rather than the body, so that members outside the table are never visited. */
class Walk {
  found: GovernedFinding[] | null = null;
  /** Names and indexes on the way, joined into a path only for a finding. */
  private readonly steps: (string | number)[] = [];

  constructor(private readonly upstreamModel: string) {}

  visit(node: Node, step: string | number, value: unknown, beside: Readonly<Record<string, unknown>>): void {
    this.steps.push(step);
    this.inside(node, value, beside);
    this.steps.pop();
  }

  private inside(node: Node, value: unknown, beside: Readonly<Record<string, unknown>>): void {
    for (const rule of rulesFor(node, value)) this.take({ path: this.path(), value, beside, rule });
    const { each, members } = node;
    if (each !== null && Array.isArray(value)) this.elements(each, value, beside);
    // Protocol buffers accept a single message in place of a list, and a list of one text is a single part of a form.
    else if (each !== null && value !== null) this.inside(each, value, beside);
    if (members.size > 0 && isRecord(value)) this.members(node, value);
  }

  private elements(each: Node, list: readonly unknown[], beside: Readonly<Record<string, unknown>>): void {
    const [first] = each.members.keys();
    // A conversation has hundreds of elements, and few of them have the one relevant member.
    const only = each.members.size === 1 && each.rules.length === 0 && each.each === null ? first : undefined;
    for (let at = 0; at < list.length; at++) {
      const element = list[at];
      if (only !== undefined && (!isRecord(element) || element[only] === undefined)) continue;
      this.visit(each, at, element, beside);
    }
  }

  take(finding: GovernedFinding): void {
    if (finding.rule.models?.test(this.upstreamModel) === false) return;
    this.found ??= [];
    if (this.found.length <= MOST_FINDINGS) this.found.push(finding);
  }

  private members({ members }: Node, object: Readonly<Record<string, unknown>>): void {
    for (const [name, next] of members) {
      const member = object[name];
      if (member !== undefined) this.visit(next, name, member, object);
    }
  }

  private path(): string {
    return this.steps.reduce<string>((path, step) => {
      if (typeof step === 'number') return `${path}[${step}]`;
      return path === '' ? step : `${path}.${step}`;
    }, '');
  }
}

function rulesFor({ rules, byText }: Node, value: unknown): readonly GovernedMember[] {
  if (rules.length === 0 || isAbsent(value)) return NO_RULES;
  if (typeof value !== 'string') return rules.filter(({ values }) => values === undefined || holdsOne(values, value));
  const known = byText.get(value);
  if (known !== undefined) return known;
  const found = rules.filter(({ values }) => values === undefined || values.test(value));
  if (byText.size < MOST_TEXTS && value.length <= LONGEST_TEXT) byText.set(value, found);
  return found;
}

function isAbsent(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === '') return true;
  return Array.isArray(value) && value.length === 0;
}

/** Returns whether a number or boolean, as text, matches. Objects and lists are not searched. */
function holdsOne(values: RegExp, value: unknown): boolean {
  return typeof value !== 'object' && values.test(String(value));
}

/** Returns the factor, in millionths, that a value of the member applies to the token price; `null` for a value without a price. */
export function factorFor({ factors }: TokenPrice, value: unknown): bigint | null {
  const text = entryOf(factors, String(value).toLowerCase()) ?? factors[''];
  return text === undefined ? null : factorOf(text);
}
