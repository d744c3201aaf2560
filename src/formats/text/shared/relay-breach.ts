import type { Feature } from '../../../domain/exchange/loss.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { BodyTest } from '../format.ts';
import type { Quirk } from '../quirk.ts';

type Lack = Extract<Quirk, { kind: 'lacks' }>;

/** Returns the features that a provider lacks but that translation can leave out or express differently. */
export function translatableLacks(quirks: readonly Quirk[]): ReadonlyMap<Feature, Lack> {
  const found = new Map<Feature, Lack>();
  for (const quirk of quirks) {
    if (quirk.kind !== 'has' && quirk.kind !== 'lacks') continue;
    if (quirk.kind === 'lacks' && quirk.verdict !== 'refused') found.set(quirk.feature, quirk);
    else found.delete(quirk.feature);
  }
  return found;
}

/** Returns a test for whether any of the tests matches, or `null` if there are none. */
export function anyOf(tests: readonly (BodyTest | null | false | undefined)[]): BodyTest | null {
  const present = tests.filter((test) => typeof test === 'function');
  return present.length === 0 ? null : (body) => present.some((test) => test(body));
}

/** Returns a test for an effort that the model does not accept: one that is not in its list, or any if it has none. */
export function effortBreach(quirks: readonly Quirk[], effortIn: (body: Parameters<BodyTest>[0]) => unknown) {
  if (translatableLacks(quirks).has('reasoning-effort')) {
    return (body: Parameters<BodyTest>[0]) => (effortIn(body) ?? null) !== null;
  }
  const efforts = quirks.flatMap((quirk) => (quirk.kind === 'efforts' ? [quirk] : [])).at(0);
  if (efforts === undefined) return null;
  return (body: Parameters<BodyTest>[0]) => {
    const effort = effortIn(body);
    return effort !== undefined && !efforts.values.includes(effort as string);
  };
}

/** Yields the objects of a list; the value may be anything. */
export function* recordsIn(list: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (!Array.isArray(list)) return;
  for (const one of list) if (isRecord(one)) yield one;
}

/** Returns whether a list has an object for which the test holds; the value may be anything. */
export function hasRecord(list: unknown, test: (record: Readonly<Record<string, unknown>>) => boolean): boolean {
  for (const record of recordsIn(list)) if (test(record)) return true;
  return false;
}
