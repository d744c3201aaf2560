import type { FileFacts, ReferenceFact, Rule, Violation } from '../facts.ts';
import { isPure, isShippedSource, relativeImports } from '../layout.ts';

const name = 'pure-domain';

/** Globals that make a result depend on more than its arguments, and the alternative to each. */
const IMPURE_GLOBALS: Readonly<Record<string, string>> = {
  performance: 'take the time as a parameter',
  'Math.random': 'take the random number as a parameter',
  crypto: 'take the id or the random bytes as a parameter',
  setTimeout: 'return when to act, and let the engine wait',
  setInterval: 'return when to act, and let the engine wait',
  setImmediate: 'return when to act, and let the engine wait',
  queueMicrotask: 'return when to act, and let the engine wait',
  fetch: 'return the request, and let upstream send it',
  WebSocket: 'return the request, and let upstream send it',
  process: 'take the value as a parameter',
  Bun: 'take the value as a parameter',
  console: 'return what happened, and let the engine log',
};

/**
 * Requires money, routing and the other laws to be functions of their arguments: the same call always has the same result. The same holds
 * for the matcher of the semantic cache, which left the domain because of its size, so it imports only itself and the domain.
 */
export const pureDomain: Rule = {
  name,
  check: (files) =>
    files
      .filter((file) => isShippedSource(file.path) && isPure(file.path))
      .flatMap((file) => [...impureReferences(file), ...impureImports(file)]),
};

function impureReferences(file: FileFacts): Violation[] {
  return file.references.flatMap((reference) => {
    const instead = adviceFor(reference);
    if (instead === undefined) return [];
    const message = `pure code uses ${reference.name}; ${instead}`;
    return [{ path: file.path, line: reference.line, rule: name, message }];
  });
}

function impureImports(file: FileFacts): Violation[] {
  return relativeImports(file)
    .filter(({ target }) => !isPure(target))
    .map(({ target, line }) => {
      const message = `pure code imports ${target}, which is not pure; take the value as a parameter`;
      return { path: file.path, line, rule: name, message };
    });
}

function adviceFor(reference: ReferenceFact): string | undefined {
  if (readsTheClock(reference)) return 'take the time as a parameter';
  const [root = '', member = ''] = reference.name.split('.');
  return ownAdvice(root) ?? ownAdvice(`${root}.${member}`);
}

function ownAdvice(key: string): string | undefined {
  return Object.hasOwn(IMPURE_GLOBALS, key) ? IMPURE_GLOBALS[key] : undefined;
}

/** Returns whether the clock is read. `new Date(timestamp)` is pure; without an argument it is the clock. */
export function readsTheClock({ name: used, usage, argumentTexts }: ReferenceFact): boolean {
  if (used === 'Date.now') return true;
  return used === 'Date' && (usage === 'call' || (usage === 'new' && argumentTexts.length === 0));
}
