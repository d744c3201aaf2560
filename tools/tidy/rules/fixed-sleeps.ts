import type { FileFacts, ReferenceFact, Rule, Violation } from '../facts.ts';

const name = 'fixed-sleeps';

const TREES = /^(src|conformance|acceptance)\//;
/** Numbers and constants, and expressions of them: `250`, `2 * GRACE_MS + 50`. */
const FIXED = /^[\d_.A-Z\s+*/()-]+$/;
/** A timer's callback that only resolves a promise: `resolve`, `() => resolve()`, `() => gate.resolve()`. */
const RESOLVER = /^([\w$.]+|\(\)\s*=>\s*([\w$.]+\.)?resolve\(\))$/;
const REASON = /^(\/\/|\/\*)\s*Real time: \S/;

/** Forbids fixed pauses, which are too short on one machine and too long on another: a test waits for a condition, or moves a clock. */
export const fixedSleeps: Rule = {
  name,
  check: (files) => files.filter((file) => TREES.test(file.path) && declaresTests(file)).flatMap(checkFile),
};

function declaresTests({ path, imports }: FileFacts): boolean {
  return /\.test\.tsx?$/.test(path) || imports.some(({ specifier }) => specifier === 'bun:test');
}

function checkFile(file: FileFacts): Violation[] {
  const sleeps = file.references.filter(isFixedSleep).map(({ line }) => line);
  // Imports under any name, since the function's only use is to be awaited.
  const imports = file.imports.filter(({ specifier }) => /^(node:)?timers\/promises$/.test(specifier));
  return [...sleeps, ...imports.map(({ line }) => line)]
    .filter((line) => !hasReason(file, line))
    .map((line) => ({
      path: file.path,
      line,
      rule: name,
      message:
        'the test waits for a fixed time; wait until something is observed (conformance/shared/until.ts), move a clock ' +
        '(conformance/shared/test-clock.ts), or explain it above in a comment that begins with "Real time:"',
    }));
}

/** Returns whether a call is a pause. One of zero length only lets other work run, so it does not count. */
function isFixedSleep({ name: called, usage, argumentTexts }: ReferenceFact): boolean {
  if (usage !== 'call') return false;
  const [first = '', second = ''] = argumentTexts;
  if (called === 'Bun.sleep' || called === 'Bun.sleepSync') return isFixed(first);
  return called === 'setTimeout' && RESOLVER.test(first) && isFixed(second);
}

function isFixed(text: string): boolean {
  return FIXED.test(text) && text !== '0';
}

/** Returns whether a comment with a reason ends directly above the line. */
function hasReason({ comments }: FileFacts, line: number): boolean {
  const texts = new Map(comments.map((comment) => [comment.line, comment.text]));
  for (let above = line - 1; texts.has(above); above -= 1) {
    if (REASON.test(texts.get(above) ?? '')) return true;
  }
  return false;
}
