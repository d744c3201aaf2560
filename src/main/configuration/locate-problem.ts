import type { FieldPath, Problem } from '../../engine/admin/admin-error.ts';
import { valueAt } from '../../engine/admin/schema/shape-problems.ts';
import type { FileProblem } from './configuration-error.ts';
import type { YamlTree } from './yaml-tree.ts';

/** Adds the problem's line, and the wrong value if it may be shown. */
export function locateProblem(tree: YamlTree, { path, message, isAboutValue, earlier }: Problem): FileProblem {
  const first = earlier === undefined ? '' : ` in line ${tree.lineOf(earlier)}`;
  const shown = isAboutValue ? shownValue(tree, path) : '';
  return { line: tree.lineOf(path), path, message: message + first + shown };
}

/**
 * Formats ` (got "abc")` for a value that cannot be a secret: not in a secret's field, not from the environment, without a key's prefix,
 * and shorter than providers' keys.
 */
function shownValue(tree: YamlTree, path: FieldPath): string {
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

const SECRET_FIELDS: ReadonlySet<string | number> = new Set([
  'api_key',
  'secret',
  'metrics_token',
  'settings',
  'client_secret',
  'smtp_url',
  // The path of a webhook's URL may be a credential.
  'url',
]);
const LONGEST_SHOWN = 20;
