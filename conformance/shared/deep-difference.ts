import { isObject } from './json.ts';

export interface Difference {
  /** The path, such as `choices[0].delta.content`; empty for the whole value. */
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

const ABSENT = Symbol('absent');

/** Formats a value for a report; `undefined` and missing members look the same. */
function show(value: unknown): string {
  if (value === ABSENT || value === undefined) return '(absent)';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 160 ? `${text.slice(0, 157)}...` : text;
}

function join(path: string, key: string): string {
  if (path === '') return key;
  return `${path}.${key}`;
}

/**
 * Returns all differences of two values, in the order of the expected one. An `undefined` member equals a missing one, because SDKs return
 * it for what the wire lacks.
 */
export function deepDifferences(expected: unknown, actual: unknown, path = ''): readonly Difference[] {
  if (Array.isArray(expected) && Array.isArray(actual)) return arrayDifferences(expected, actual, path);
  if (isObject(expected) && isObject(actual)) return objectDifferences(expected, actual, path);
  const bothAbsent = (expected === ABSENT || expected === undefined) && (actual === ABSENT || actual === undefined);
  if (bothAbsent || Object.is(expected, actual)) return [];
  return [{ path, expected: show(expected), actual: show(actual) }];
}

function arrayDifferences(expected: readonly unknown[], actual: readonly unknown[], path: string): Difference[] {
  const found: Difference[] = [];
  for (let i = 0; i < Math.max(expected.length, actual.length); i++) {
    const left = i < expected.length ? expected[i] : ABSENT;
    const right = i < actual.length ? actual[i] : ABSENT;
    found.push(...deepDifferences(left, right, `${path}[${i}]`));
  }
  return found;
}

function objectDifferences(
  expected: Readonly<Record<string, unknown>>,
  actual: Readonly<Record<string, unknown>>,
  path: string,
): Difference[] {
  const found: Difference[] = [];
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const left = Object.hasOwn(expected, key) ? expected[key] : ABSENT;
    const right = Object.hasOwn(actual, key) ? actual[key] : ABSENT;
    found.push(...deepDifferences(left, right, join(path, key)));
  }
  return found;
}

/** Formats one line per difference; only the first few, since later ones usually follow from them. */
export function describeDifferences(differences: readonly Difference[], limit = 6): readonly string[] {
  const lines = differences
    .slice(0, limit)
    .map((d) => `${d.path || '(whole)'}: expected ${d.expected}, got ${d.actual}`);
  if (differences.length > limit) lines.push(`… and ${differences.length - limit} more`);
  return lines;
}
