import { DEFAULTS, type Equivalence, isOwnData, LEFT_OUT, type LeafContext, STRUCTURE } from './equivalences.ts';
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
  /** Neither upstream nor reported. */
  readonly vanished: readonly Leaf[];
  readonly found: number;
  readonly reported: number;
  /** How many leaves each equivalence has answered for. */
  readonly equivalences: ReadonlyMap<string, number>;
}

/** The last entry of a header that was cut; what it leaves unsaid nobody can know. */
export function isCut(losses: readonly ReportedLoss[]): boolean {
  return losses.at(-1)?.field === '…';
}

/** Looks for every leaf of the client's request in what the upstream has received, and in the losses. */
export function checkLeaves(
  request: ClientRequest,
  upstream: UpstreamContent,
  losses: readonly ReportedLoss[],
  media: Pick<LocalMedia, 'base64Of'>,
): LeafCheck {
  const named = namesOf(request);
  const fields = losses.map(({ field }) => named(field));
  const said = new Said(upstream);
  const vanished: Leaf[] = [];
  const equivalences = new Map<string, number>();
  let found = 0;
  let reported = 0;
  for (const leaf of leavesOf(request.body)) {
    if (fields.some((field) => covers(field, named(leaf.path)))) {
      reported++;
      continue;
    }
    const context = { leaf, request, upstream, fields };
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

/** What is said twice must arrive twice. A text that arrives in other words (a data URI as its bytes) is not counted. */
class Said {
  private readonly times = new Map<string, number>();

  constructor(private readonly upstream: UpstreamContent) {}

  arrives({ value }: Leaf): boolean {
    if (typeof value !== 'string') return true;
    const times = (this.times.get(value) ?? 0) + 1;
    this.times.set(value, times);
    const occurrences = this.upstream.occurrences(value, times);
    return occurrences === 0 || occurrences >= times;
  }
}

/** Gemini takes its members in both spellings, and a loss may name either. */
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

function isFound({ leaf, upstream }: LeafContext, media: Pick<LocalMedia, 'base64Of'>): boolean {
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

/** Members that hold base64, or the text of a document, which another format may take as bytes. */
const BYTES: ReadonlySet<string> = new Set(['data', 'file_data']);

/** The numbers of Gemini's `Type`, which a client sends that writes protocol buffers as they are. */
const TYPE_NUMBERS: readonly (string | undefined)[] = [
  undefined,
  ...['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'],
];

/** A schema's type in any capitals or as a number; null as one type of several; its dialect, which says nothing about a value. */
function hasSchemaWord({ key, value }: Leaf, upstream: UpstreamContent): boolean {
  if (key === '$schema') return true;
  if (key === 'nullable') return value === false || upstream.hasMember('type', 'null');
  const type = typeof value === 'number' ? TYPE_NUMBERS[value] : value;
  return key === 'type' && type !== undefined && upstream.hasMember('type', type);
}
