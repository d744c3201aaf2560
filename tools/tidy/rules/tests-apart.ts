import type { FileFacts, Rule, Violation } from '../facts.ts';
import { isShippedSource, isTestFile, isTrainer, relativeImports } from '../layout.ts';

const name = 'tests-apart';

/** Keeps shipped code from importing tests and the trainer, which the other rules exempt. */
export const testsApart: Rule = {
  name,
  check: (files) => files.filter((file) => isShippedSource(file.path)).flatMap(checkFile),
};

function checkFile(file: FileFacts): Violation[] {
  const testImports = relativeImports(file)
    .filter(({ target }) => isTestFile(target))
    .map(({ target, line }) => ({
      line,
      message: `shipped code imports the test file ${target}; move the imported code out of the tests`,
    }));
  const trainerImports = relativeImports(file)
    .filter(({ target }) => isTrainer(target))
    .map(({ target, line }) => ({
      line,
      message: `shipped code imports the trainer ${target}; move the imported code to src/semantic-cache/matcher`,
    }));
  const runnerImports = file.imports
    .filter(({ specifier }) => specifier === 'bun:test')
    .map(({ line }) => ({
      line,
      message:
        'shipped code imports bun:test; name the file *.test.ts, or move a shared suite to a folder named testing',
    }));
  return [...testImports, ...trainerImports, ...runnerImports].map((complaint) => ({
    path: file.path,
    rule: name,
    ...complaint,
  }));
}
