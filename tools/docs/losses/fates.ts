import type { Feature, Verdict } from '../../../src/domain/exchange/loss.ts';
import type { ClientFormat, FieldClass, FieldTable, UpstreamFormat } from '../../../src/formats/format.ts';
import { clientFormats, upstreamFormats } from '../../../src/formats/index.ts';

/** What becomes of one field at one target. `why` is empty where it is carried. */
export interface Fate {
  readonly verdict: Verdict;
  readonly why: string;
}

/** A field of a client format, with its fate at each target of the format, in the order of `targetsOf`. */
export interface FieldRow {
  readonly path: string;
  readonly fates: readonly Fate[];
  /** Whether no other format has such a field, so that every target treats it the same way. */
  readonly isOwn: boolean;
}

export const VERDICTS: readonly Verdict[] = ['exact', 'approximated', 'dropped', 'refused'];
export const SIGNS: Readonly<Record<Verdict, string>> = { exact: '=', approximated: '≈', dropped: '–', refused: '✗' };

export function clients(): readonly ClientFormat[] {
  return [...clientFormats.values()];
}

/** The formats into which requests are translated. */
export function targets(): readonly UpstreamFormat[] {
  return [...upstreamFormats.values()].filter(({ relayOnly }) => relayOnly !== true);
}

/** The formats into which this client's requests are translated: all targets but its own format. */
export function targetsOf(client: ClientFormat): readonly UpstreamFormat[] {
  return targets().filter(({ name }) => name !== client.name);
}

/**
 * The fields of a client format, sorted by path. A field is left out where the one that holds it has the same fates for the same
 * reasons, and where it is another spelling of a field that is listed.
 */
export function fieldRows(client: ClientFormat): readonly FieldRow[] {
  const others = targetsOf(client);
  return Object.keys(client.fields)
    .sort()
    .flatMap((path) => {
      const field = client.fields[path];
      if (field === undefined || isSaidBefore(path, client.fields)) return [];
      const above = fieldAbove(path, client.fields);
      const fates = others.map((upstream) => fateOf(field, upstream));
      const isOwn = typeof field !== 'string';
      const isSame =
        above !== undefined && others.every((one, at) => fateOf(above, one).verdict === fates[at]?.verdict);
      const hasOwnReason = isOwn && (above === undefined || typeof above === 'string' || above.why !== field.why);
      return isSame && !hasOwnReason ? [] : [{ path, fates, isOwn }];
    });
}

/** How many of the rows have each verdict at the target of this position. */
export function countsAt(rows: readonly FieldRow[], target: number): Readonly<Record<Verdict, number>> {
  const counts = { exact: 0, approximated: 0, dropped: 0, refused: 0 };
  for (const { fates } of rows) {
    const fate = fates[target];
    if (fate !== undefined) counts[fate.verdict] += 1;
  }
  return counts;
}

/** Gemini takes every name in camel case and in snake case, and a count's request within a wrapper, too; once is enough here. */
function isSaidBefore(path: string, fields: FieldTable): boolean {
  const camel = path
    .replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    .replace(/^generateContentRequest\./, '');
  return camel !== path && fields[camel] !== undefined;
}

/** The nearest field that holds this one. */
function fieldAbove(path: string, fields: FieldTable): FieldClass | undefined {
  for (let at = path.lastIndexOf('.'); at > 0; at = path.lastIndexOf('.', at - 1)) {
    const parent = path.slice(0, at);
    const found = fields[parent] ?? fields[parent.replace(/(\[\])+$/, '')];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What has a meaning only within its own format or at its own vendor, even where the target has something of that kind. */
const OWN_ONLY: Partial<Record<Feature, Fate>> = {
  'provider-file': { verdict: 'refused', why: 'a file stored at one provider cannot be read by another' },
  'unknown-blocks': { verdict: 'refused', why: 'only the format that it came in understands it' },
  'hosted-tools': { verdict: 'refused', why: 'the tool runs at another provider' },
  'reasoning-state': { verdict: 'dropped', why: 'only the provider that issued reasoning state can read it' },
};

function fateOf(field: FieldClass, upstream: UpstreamFormat): Fate {
  if (field === 'exact') return { verdict: 'exact', why: '' };
  if (typeof field !== 'string') return field;
  const own = OWN_ONLY[field];
  if (own !== undefined) return own;
  const carriage = upstream.carries[field];
  return carriage === 'exact' ? { verdict: 'exact', why: '' } : carriage;
}
