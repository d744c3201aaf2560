import { DEFAULTS, type Equivalence, type LeafContext } from './default-values.ts';
import { isOwnData, LEFT_OUT, STRUCTURE } from './equivalences.ts';
import { covers, type Leaf, leavesOf, plainPath } from './json-leaves.ts';
import type { LocalMedia } from './local-media.ts';
import type { ClientRequest } from './recorded-requests.ts';
import type { UpstreamContent } from './upstream-content.ts';

/** One entry of the header `x-switchyard-losses`. */
export interface ReportedLoss {
  readonly field: string;
  readonly verdict: string;
  readonly why: string;
}

export interface LeafCheck {
  /** Neither sent to the upstream nor reported. */
  readonly vanished: readonly Leaf[];
  readonly found: number;
  readonly reported: number;
  /** The number of leaves that each equivalence explained. */
  readonly equivalences: ReadonlyMap<string, number>;
}

/** Returns whether the header was cut; the losses after the cut are unknown. */
export function isCut(losses: readonly ReportedLoss[]): boolean {
  return losses.at(-1)?.field === '…';
}

/** Searches the upstream's request and the losses for every leaf of the client's request. */
export function checkLeaves(
  request: ClientRequest,
  upstream: UpstreamContent,
  losses: readonly ReportedLoss[],
  media: Pick<LocalMedia, 'base64Of'>,
): LeafCheck {
  const named = namesOf(request);
  const fields = losses.map(({ field }) => named(field));
  const left = losses.filter(({ verdict }) => verdict === 'dropped').map(({ field }) => named(field));
  const said = new Said(upstream);
  const vanished: Leaf[] = [];
  const equivalences = new Map<string, number>();
  let found = 0;
  let reported = 0;
  for (const leaf of leavesOf(request.body)) {
    const path = named(leaf.path);
    if (fields.some((field) => covers(field, path))) {
      reported++;
      continue;
    }
    const context = { leaf, request, upstream, fields, left };
    const leftOut = LEFT_OUT.place.test(placeOf(leaf)) && LEFT_OUT.holds(context);
    const structure = leftOut ? LEFT_OUT : equivalenceOf(STRUCTURE, context);
    if (structure === undefined && isFound(context, media) && said.arrives(leaf)) {
      found++;
      continue;
    }
    const equivalence = [structure, equivalenceOf(DEFAULTS, context)].find((one) => one?.holds(context));
    if (equivalence === undefined) vanished.push(leaf);
    else equivalences.set(equivalence.name, (equivalences.get(equivalence.name) ?? 0) + 1);
  }
  return { vanished, found, reported, equivalences };
}

/**
 * Checks that a text that occurs twice arrives twice. A text that arrives in another form (a data URI as its
 * bytes) is not counted.
 */
class Said {
  private readonly times = new Map<string, number>();

  constructor(private readonly upstream: UpstreamContent) {}

  arrives({ key, value }: Leaf): boolean {
    if (typeof value !== 'string') return true;
    const isName = key === 'name';
    const counted = isName ? `name ${value}` : value;
    const times = (this.times.get(counted) ?? 0) + 1;
    this.times.set(counted, times);
    // A name also occurs within texts, so only whole values count.
    if (isName) return this.upstream.values(value) >= times;
    const occurrences = this.upstream.occurrences(value, times);
    return occurrences === 0 || occurrences >= times;
  }
}

/** Normalizes the member names of Gemini, which accepts two spellings; a loss may name either. */
export function namesOf({ format }: Pick<ClientRequest, 'format'>): (path: string) => string {
  return format === 'gemini' ? plainPath : (path) => path;
}

function equivalenceOf(list: readonly Equivalence[], { leaf, request }: LeafContext): Equivalence | undefined {
  if (isOwnData(leaf.path)) return undefined;
  const place = placeOf(leaf);
  return list.find(
    (one) =>
      one.place.test(place) &&
      (one.formats?.includes(request.format) ?? true) &&
      (one.values?.test(String(leaf.value)) ?? true),
  );
}

function placeOf({ path }: Leaf): string {
  return path.replace(/\[\d+\]/g, '[]');
}

function isFound({ leaf, request, upstream }: LeafContext, media: Pick<LocalMedia, 'base64Of'>): boolean {
  const names = namesInSchema(leaf);
  if (names !== undefined) {
    const isThere = names.length > 1 ? upstream.hasAtPlace(leaf) : upstream.hasMember(leaf.key, leaf.value);
    return isThere || hasSchemaWord(leaf, upstream) || saysNothing(leaf, request) || isPlainReference(leaf, upstream);
  }
  if (upstream.has(leaf)) return true;
  if (isOwnData(leaf.path) && hasSchemaWord(leaf, upstream)) return true;
  if (typeof leaf.value !== 'string') return false;
  if (BYTES.has(leaf.key) && (upstream.hasBytes(leaf.value) || upstream.hasBytes(base64OfText(leaf.value))))
    return true;
  const fetched = media.base64Of(leaf.value);
  return fetched !== undefined && upstream.hasBytes(fetched);
}

function base64OfText(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Members with base64, or with the text of a document, which another format may take as bytes. */
const BYTES: ReadonlySet<string> = new Set(['data', 'file_data']);

/**
 * Returns the member names below a schema's root, which are the same in all formats; `undefined` outside of
 * schemas.
 */
function namesInSchema({ path }: Leaf): readonly string[] | undefined {
  const root =
    /(?:parameters|input_?schema|json_?schema|\.schema|response_?schema)\.(?!(?:schema|name|description|strict)\b)/i;
  const found = root.exec(path);
  return found === null ? undefined : path.slice(found.index + found[0].length).split('.');
}

/** `additionalProperties: false` has no meaning in the schema of a string or a list. */
function saysNothing({ path, key, value }: Leaf, { body }: ClientRequest): boolean {
  if (key !== 'additionalProperties' || value !== false) return false;
  const beside = path.replace(/additionalProperties$/, 'type');
  return leavesOf(body).some((leaf) => leaf.path === beside && leaf.value !== 'object');
}

/** Gemini allows no member beside `$ref`, so such a reference is sent as the only branch of an `anyOf`. */
function isPlainReference(leaf: Leaf, upstream: UpstreamContent): boolean {
  return upstream.target === 'gemini' && leaf.key === '$ref' && upstream.hasAsOnlyChoice(leaf);
}

/** The numbers of Gemini's `Type`, which clients send that serialize protocol buffers directly. */
const TYPE_NUMBERS: readonly (string | undefined)[] = [
  undefined,
  ...['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'],
];

/**
 * Handles a schema's type in any case or as a number, `null` as one of several types, and the dialect, which
 * does not constrain values.
 */
function hasSchemaWord({ key, value }: Leaf, upstream: UpstreamContent): boolean {
  if (key === '$schema' || (key === 'type' && (value === 0 || value === 'TYPE_UNSPECIFIED'))) return true;
  if (key === 'nullable') return value === false || upstream.hasMember('type', 'null');
  const type = typeof value === 'number' ? TYPE_NUMBERS[value] : value;
  return key === 'type' && type !== undefined && upstream.hasMember('type', type);
}
