import type { Feature, Verdict } from '../../../src/domain/exchange/loss.ts';
import { clientFormats, upstreamFormats } from '../../../src/formats/index.ts';
import type { ClientFormat, FieldClass, FieldTable, UpstreamFormat } from '../../../src/formats/text/format.ts';

/** The fate of one field at one target. `why` is empty if the field is carried over. */
export interface Fate {
  readonly verdict: Verdict;
  readonly why: string;
}

/** A field of a client format, with its fate at each target, in the order of `targetsOf`. */
export interface FieldRow {
  readonly path: string;
  readonly fates: readonly Fate[];
  /** Whether no other format has such a field, so that every target treats it in the same way. */
  readonly isOwn: boolean;
}

export const VERDICTS: readonly Verdict[] = ['exact', 'approximated', 'dropped', 'refused'];
export const SIGNS: Readonly<Record<Verdict, string>> = { exact: '=', approximated: '≈', dropped: '–', refused: '✗' };

export function clients(): readonly ClientFormat[] {
  return [...clientFormats.values()];
}

/** Returns the formats into which requests are translated. */
export function targets(): readonly UpstreamFormat[] {
  return [...upstreamFormats.values()].filter(({ relayOnly }) => relayOnly !== true);
}

/** Returns the formats into which this client's requests are translated: all targets but its own format. */
export function targetsOf(client: ClientFormat): readonly UpstreamFormat[] {
  return targets().filter(({ name }) => name !== client.name);
}

/**
 * Returns the fields of a client format, sorted by path. Omits a field if its parent has the same fates for the same reasons, or if it is
 * another spelling of a listed field.
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

/** Counts the rows with each verdict at the target of this position. */
export function countsAt(rows: readonly FieldRow[], target: number): Readonly<Record<Verdict, number>> {
  const counts = { exact: 0, approximated: 0, dropped: 0, refused: 0 };
  for (const { fates } of rows) {
    const fate = fates[target];
    if (fate !== undefined) counts[fate.verdict] += 1;
  }
  return counts;
}

/**
 * Returns whether the field is another spelling: Gemini accepts every name in camel case and in snake case, and the request of a count also
 * within a wrapper.
 */
function isSaidBefore(path: string, fields: FieldTable): boolean {
  const camel = path
    .replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    .replace(/^generateContentRequest\./, '');
  return camel !== path && fields[camel] !== undefined;
}

/** Returns the nearest ancestor of a field. */
function fieldAbove(path: string, fields: FieldTable): FieldClass | undefined {
  for (let at = path.lastIndexOf('.'); at > 0; at = path.lastIndexOf('.', at - 1)) {
    const parent = path.slice(0, at);
    const found = fields[parent] ?? fields[parent.replace(/(\[\])+$/, '')];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Features that have a meaning only within their own format or at their own vendor, even if the target has something similar. */
const OWN_ONLY: Partial<Record<Feature, Fate>> = {
  'provider-file': { verdict: 'refused', why: 'a file stored at one provider cannot be read by another' },
  'unknown-blocks': { verdict: 'refused', why: 'only its own format has it' },
  'hosted-tools': { verdict: 'refused', why: 'another provider runs the tool' },
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
