import type { FieldNames, Losses } from '../../../domain/exchange/loss.ts';
import type { FieldTable } from '../../format.ts';
import type { Quirk } from '../../quirk.ts';

/** What a loss has to know of the body that quirks change. */
export interface QuirkedBody {
  /** The client's own names, by feature. */
  readonly names: FieldNames;
  readonly losses: Losses;
  /** What the body's members are about. */
  readonly fields: FieldTable;
  /** Members that hold nothing of the client's: leaving one out loses nothing. */
  readonly added: ReadonlySet<string>;
}

/**
 * What the provider wants otherwise of the body's top-level members, in the order of its quirks; the other kinds of quirks are read
 * where they matter. What the client loses by it is noted under the client's name.
 */
export function applyQuirks(body: Record<string, unknown>, quirks: readonly Quirk[], of: QuirkedBody): void {
  for (const quirk of quirks) {
    if (quirk.kind === 'set') {
      const { field, value, unless } = quirk;
      if (unless === undefined || (body[unless] ?? null) === null) body[field] ??= value;
    } else if (quirk.kind === 'rename') rename(body, quirk, of);
    else if (quirk.kind === 'bounds') keepWithin(body, quirk, of);
    else if (quirk.kind === 'omit' && take(body, quirk.field) !== undefined && !quirk.isServed) {
      noteOmitted(quirk.field, quirk.why, of);
    }
  }
}

function keepWithin(body: Record<string, unknown>, quirk: Quirk & { readonly kind: 'bounds' }, of: QuirkedBody): void {
  if (!isBeyond(body, quirk)) return;
  const { field, least, most, why } = quirk;
  body[field] = Number(body[field]) > most ? most : least;
  of.losses.note({ field: clientName(field, of), verdict: 'approximated', why });
}

/** Whether a member of the body is beyond the bounds of the provider. */
export function isBeyond(
  body: Readonly<Record<string, unknown>>,
  { field, least, most }: Quirk & { readonly kind: 'bounds' },
): boolean {
  const value = body[field];
  return typeof value === 'number' && (value < least || value > most);
}

function rename(body: Record<string, unknown>, quirk: Quirk & { readonly kind: 'rename' }, of: QuirkedBody): void {
  const { from, to, why } = quirk;
  const value = take(body, from);
  if (value === undefined) return;
  if (body[to] === undefined) body[to] = value;
  else if (body[to] !== value) noteOmitted(from, why, of);
}

function take(body: Record<string, unknown>, member: string): unknown {
  const value = body[member];
  if (value !== undefined) delete body[member];
  return value;
}

function noteOmitted(member: string, why: string, of: QuirkedBody): void {
  if (!of.added.has(member)) of.losses.note({ field: clientName(member, of), verdict: 'dropped', why });
}

/** Returns the client's own name of a member. */
function clientName(member: string, { names, fields }: QuirkedBody): string {
  const feature = Object.hasOwn(fields, member) ? fields[member] : undefined;
  return (typeof feature === 'string' && feature !== 'exact' ? names[feature] : undefined) ?? member;
}
