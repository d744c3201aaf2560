import type { z } from 'zod';
import { didYouMean } from './closest.ts';
import type { FieldPath, Problem } from './problem.ts';
import type { YamlTree } from './yaml-tree.ts';

type Issue = z.core.$ZodIssue;

/** What Zod found, as problems with lines. `knownFieldsAt` helps with a misspelt field. */
export function shapeProblems(
  tree: YamlTree,
  issues: readonly Issue[],
  knownFieldsAt: (path: FieldPath) => readonly string[],
): Problem[] {
  const problems: Problem[] = [];
  for (const issue of issues.flatMap(flatten)) {
    const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) {
        const field = [...path, key];
        const message = `unknown field${didYouMean(key, knownFieldsAt(path))}`;
        problems.push({ line: tree.lineOf(field), path: field, message });
      }
    } else {
      problems.push({ line: tree.lineOf(path), path, message: messageFor(tree, issue, path) });
    }
  }
  return problems;
}

/** Of a union's branches, the one whose type fits is the one that was meant; a wrong key speaks for itself. */
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

function messageFor(tree: YamlTree, issue: Issue, path: FieldPath): string {
  const value = valueAt(tree.value, path);
  if (value === null && issue.code === 'invalid_type' && issue.expected === 'array')
    return 'has no value; `[]` is an empty list';
  if (path.length > 0 && (value === undefined || value === null)) return 'is required';
  return issue.message + shownValue(tree, path);
}

/**
 * ` (got "abc")`, for a value that is certainly no secret: not in a secret's field, not from the environment, not
 * beginning as a key does, and shorter than providers' keys are.
 */
export function shownValue(tree: YamlTree, path: FieldPath): string {
  if (path.some((part) => SECRET_FIELDS.has(part))) return '';
  const reference = tree.shownAt(path);
  if (reference !== undefined) return ` (got ${reference})`;
  const value = valueAt(tree.value, path);
  if (typeof value === 'number' || typeof value === 'boolean') return ` (got ${value})`;
  if (typeof value === 'string' && value.length <= LONGEST_SHOWN && !/^(sk|mt)-/.test(value)) {
    return ` (got ${JSON.stringify(value)})`;
  }
  if (Array.isArray(value)) return ' (got a list)';
  return typeof value === 'object' && value !== null ? ' (got a map)' : '';
}

const SECRET_FIELDS: ReadonlySet<string | number> = new Set(['api_key', 'secret', 'metrics_token', 'settings']);
const LONGEST_SHOWN = 20;

export function valueAt(root: unknown, path: FieldPath): unknown {
  let value = root;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[part];
  }
  return value;
}
