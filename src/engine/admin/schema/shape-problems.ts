import type { z } from 'zod';
import { EditDistance } from '../../../domain/catalog/edit-distance.ts';
import { entryOf } from '../../../formats/shared/json/record.ts';
import type { FieldPath, Problem } from '../admin-error.ts';
import { KNOWN_FIELDS } from './configuration-file.ts';

/** Returns the candidate that a person most likely meant, or `null` if none is near. Case is ignored. */
export function closest(word: string, candidates: readonly string[]): string | null {
  const wanted = word.toLowerCase();
  const distance = new EditDistance();
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const found = distance.between(wanted, candidate.toLowerCase(), Math.ceil(bestDistance));
    if (found < bestDistance) [best, bestDistance] = [candidate, found];
  }
  return best;
}

/** Returns a clause for the end of an error message, such as ` (did you mean "api_key"?)`, or an empty text. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const guess = closest(word.slice(0, 100), candidates);
  return guess === null ? '' : ` (did you mean "${guess}"?)`;
}

type Issue = z.core.$ZodIssue;

/**
 * Returns the problems that Zod found in a value, in words.
 *
 * @param fieldsAt returns the allowed fields of a place, from which a correction of a misspelled one is suggested
 */
export function shapeProblems(
  value: unknown,
  issues: readonly Issue[],
  fieldsAt: (path: FieldPath) => readonly string[] = knownFieldsAt,
  most = MOST_PROBLEMS,
): Problem[] {
  const problems: Problem[] = [];
  for (const issue of issues.slice(0, most).flatMap(flatten)) {
    if (problems.length >= most) break;
    const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys.slice(0, most)) {
        const message = `unknown field${didYouMean(key, fieldsAt(path))}`;
        problems.push({ path: [...path, key], message, isAboutValue: false });
      }
    } else {
      problems.push({ path, ...messageFor(value, issue, path) });
    }
  }
  return problems;
}

/** A person fixes these before reading on, and no person writes an input with a hundred thousand of them. */
export const MOST_PROBLEMS = 20;

/**
 * Returns an issue without unions and keys: the branch of a union whose type fits is the one that was meant, and an invalid key is reported
 * by itself.
 */
function flatten(issue: Issue): Issue[] {
  if (issue.code === 'invalid_key') {
    return issue.issues.map((inner) => ({ ...inner, path: issue.path }) as Issue);
  }
  if (issue.code !== 'invalid_union') return [issue];
  const meant = issue.errors.find((branch) => branch.every((inner) => inner.path.length > 0 || !isTypeIssue(inner)));
  if (meant === undefined) return [issue];
  return meant.flatMap((inner) => flatten({ ...inner, path: [...issue.path, ...inner.path] } as Issue));
}

function isTypeIssue(issue: Issue): boolean {
  return issue.code === 'invalid_type' || issue.code === 'invalid_value';
}

function messageFor(root: unknown, issue: Issue, path: FieldPath): Pick<Problem, 'message' | 'isAboutValue'> {
  const value = valueAt(root, path);
  if (value === null && issue.code === 'invalid_type' && issue.expected === 'array')
    return { message: 'has no value; write `[]` for an empty list', isAboutValue: false };
  if (path.length > 0 && (value === undefined || value === null))
    return { message: 'is required', isAboutValue: false };
  return { message: issue.message, isAboutValue: true };
}

export function valueAt(root: unknown, path: FieldPath): unknown {
  let value = root;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[part];
  }
  return value;
}

/** Returns the allowed fields at this place of a configuration. */
export function knownFieldsAt(path: FieldPath): readonly string[] {
  // The members of a channel's `costs`, and of the `models` in its `timeouts`, are named after models.
  const named = path[2] === 'costs' ? 3 : path[2] === 'timeouts' && path[3] === 'models' ? 4 : -1;
  const fields = path[0] === 'channels' ? path.filter((_part, index) => index !== named) : path;
  return entryOf(KNOWN_FIELDS, fields.filter((part) => typeof part === 'string').join('.')) ?? [];
}
