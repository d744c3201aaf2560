import type { Rule } from '../facts.ts';
import { isShippedSource, placeOf } from '../layout.ts';

const name = 'environment';

/** Includes the bare objects: otherwise `const { env } = process` would slip through. */
const ENVIRONMENT = /^(process|Bun)(\.env(\..*)?)?$/;

/**
 * Restricts reading the environment: with one reader, its list of variables is complete, and all other rooms can be tested without them.
 */
export const environment: Rule = {
  name,
  check: (files) =>
    files
      .filter((file) => isShippedSource(file.path) && !['main', 'domain'].includes(placeOf(file.path)?.room ?? ''))
      .flatMap((file) => {
        const uses = file.references.filter((reference) => ENVIRONMENT.test(reference.name));
        return uses.map((reference) => ({
          path: file.path,
          line: reference.line,
          rule: name,
          message: `reads ${reference.name}; only src/main may read the environment; take the value as an option`,
        }));
      }),
};
