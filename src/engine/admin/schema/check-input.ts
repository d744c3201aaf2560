import type { z } from 'zod';
import { type FieldPath, invalidInput, type Problem } from '../admin-error.ts';
import { knownFieldsAt, MOST_PROBLEMS, shapeProblems } from './shape-problems.ts';

/**
 * Returns the input of a verb as its schema reads it. Throws an `AdminError` that names each invalid field once.
 *
 * @param place where such an object is in a configuration file, which determines the known names of its fields
 * @param meaning finds problems that no single field shows
 */
export function checkInput<Schema extends z.ZodType>(
  schema: Schema,
  place: FieldPath,
  input: unknown,
  meaning: (input: unknown) => readonly Problem[] = () => [],
): z.output<Schema> {
  const written = withoutUndefined(input);
  const parsed = schema.safeParse(written);
  const shape = parsed.success
    ? []
    : shapeProblems(written, parsed.error.issues, (path) => knownFieldsAt([...place, ...path]));
  const problems = new Map<string, Problem>();
  for (const problem of [...shape, ...meaning(written)]) {
    const key = JSON.stringify(problem.path);
    if (!problems.has(key)) problems.set(key, problem);
  }
  if (problems.size > 0 || !parsed.success) throw invalidInput([...problems.values()].slice(0, MOST_PROBLEMS));
  return parsed.data;
}

/** Returns the input without members that are undefined, which count as absent. */
function withoutUndefined(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

/**
 * Returns an object with a partial change, for the schema to check as a whole: a given member is replaced entirely, `null` resets it to its
 * default, and absent ones stay. Throws an `AdminError` for a change of a fixed member.
 *
 * @param before in the form of the schema
 * @param fixed the members that cannot change, and what to do instead
 */
export function withChange(
  before: Readonly<Record<string, unknown>>,
  change: unknown,
  fixed: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) {
    throw invalidInput([{ path: [], message: 'must be a map of fields', isAboutValue: true }]);
  }
  const changed = Object.entries(change).filter(([, value]) => value !== undefined);
  const refused = changed.flatMap(([name, value]) =>
    Object.hasOwn(fixed, name) && value !== before[name]
      ? [{ path: [name], message: `cannot be changed: ${fixed[name]}`, isAboutValue: false }]
      : [],
  );
  if (refused.length > 0) throw invalidInput(refused);
  return { ...before, ...Object.fromEntries(changed.filter(([name]) => !Object.hasOwn(fixed, name))) };
}
