import type { FileFacts, Rule, Violation } from '../facts.ts';
import { isShippedSource, isTestFile, relativeImports } from '../layout.ts';

const name = 'tests-apart';

/** The other rules let tests do what shipped code must not; so shipped code must not reach those freedoms through them. */
export const testsApart: Rule = {
  name,
  check: (files) => files.filter((file) => isShippedSource(file.path)).flatMap(checkFile),
};

function checkFile(file: FileFacts): Violation[] {
  const testImports = relativeImports(file)
    .filter(({ target }) => isTestFile(target))
    .map(({ target, line }) => ({
      line,
      message: `shipped code imports the test file ${target}; move what it needs out of the tests`,
    }));
  const runnerImports = file.imports
    .filter(({ specifier }) => specifier === 'bun:test')
    .map(({ line }) => ({
      line,
      message:
        'shipped code imports bun:test; name the file *.test.ts, or move a common suite to a folder named testing',
    }));
  return [...testImports, ...runnerImports].map((complaint) => ({ path: file.path, rule: name, ...complaint }));
}
