import { type FieldPath, formatPath, type Problem } from '../admin-error.ts';

/* Reads values whose shape has not been checked, so that an invalid field does not hide a problem of another one. */

export function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

export function text(value: unknown, name: string): string | undefined {
  const found = field(value, name);
  return typeof found === 'string' ? found : undefined;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function namesIn(value: unknown): readonly string[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
}

export type Place = readonly [path: FieldPath, value: string | undefined];

/** Returns a problem for each value that occurs again; it says where the value occurs first. */
export function duplicates(places: readonly Place[]): Problem[] {
  const first = new Map<string, FieldPath>();
  return places.flatMap(([path, value]) => {
    if (value === undefined || value === '') return [];
    const earlier = first.get(value);
    if (earlier !== undefined) {
      return [{ path, message: `is already used by ${formatPath(earlier)}`, isAboutValue: true, earlier }];
    }
    first.set(value, path);
    return [];
  });
}
