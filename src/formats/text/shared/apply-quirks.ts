import type { FieldNames, Losses } from '../../../domain/exchange/loss.ts';
import type { FieldTable } from '../format.ts';
import type { Quirk } from '../quirk.ts';

/** The context for reporting losses from a body that quirks change. */
export interface QuirkedBody {
  /** The client's own names, by feature. */
  readonly names: FieldNames;
  readonly losses: Losses;
  /** The feature that each of the body's members is about. */
  readonly fields: FieldTable;
  /** Members that the gateway added: leaving one out loses nothing of the client's. */
  readonly added: ReadonlySet<string>;
}

/**
 * Applies the provider's quirks that concern the body's top-level members, in order; other kinds of quirks are read where they
 * matter. Losses are noted under the client's names.
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

/** Returns whether a member of the body is outside the provider's bounds. */
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
