import type { Rule } from '../facts.ts';
import { isShippedSource, isTestFile, relativeImports } from '../layout.ts';

const name = 'tests-apart';

/** The other rules let tests do what shipped code must not; so shipped code must not reach those freedoms through them. */
export const testsApart: Rule = {
  name,
  check: (files) =>
    files
      .filter((file) => isShippedSource(file.path))
      .flatMap((file) =>
        relativeImports(file)
          .filter(({ target }) => isTestFile(target))
          .map(({ target, line }) => ({
            path: file.path,
            line,
            rule: name,
            message: `shipped code imports the test file ${target}; move what it needs out of the tests`,
          })),
      ),
};
