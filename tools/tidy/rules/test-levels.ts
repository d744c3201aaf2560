import type { FileFacts, Rule, Violation } from '../facts.ts';
import { relativeImports } from '../layout.ts';

const name = 'test-levels';

/** Unit and conformance tests, which need nothing but the project. */
const IN_PROCESS = /^(src|dashboard|tools|bench|conformance)\/.*\.test\.tsx?$/;
const REASON = /^(\/\/|\/\*)\s*A process: \S/;
const STARTS_A_PROCESS = ['Bun.spawn', 'Bun.spawnSync', 'Bun.$'];

/** Requires unit and conformance tests to run in their own process; tests that start others are acceptance tests (docs/testing.md). */
export const testLevels: Rule = {
  name,
  check: (files) => files.flatMap((file) => [...borrowed(file), ...started(file)]),
};

function borrowed(file: FileFacts): Violation[] {
  const { path } = file;
  if (!IN_PROCESS.test(path) && !path.startsWith('conformance/')) return [];
  return relativeImports(file)
    .filter(({ target }) => target.startsWith('acceptance/'))
    .map(({ target, line }) => {
      const message = `imports ${target}; move the test to acceptance/, or the imported code to conformance/shared`;
      return { path, line, rule: name, message };
    });
}

function started({ path, references, imports, comments }: FileFacts): Violation[] {
  if (!IN_PROCESS.test(path)) return [];
  const excused = new Set(comments.filter(({ text }) => REASON.test(text)).map(({ line }) => line + 1));
  const calls = references.filter((used) => STARTS_A_PROCESS.includes(used.name));
  const modules = imports.filter(({ specifier }) => /^(node:)?child_process$/.test(specifier));
  const message =
    "the test starts a process; run the code in the test's process, move the test to acceptance/, or explain it in the line " +
    'above in a comment that begins with "A process:"';
  const lines = [...calls, ...modules].map(({ line }) => line).filter((line) => !excused.has(line));
  return lines.map((line) => ({ path, line, rule: name, message }));
}
