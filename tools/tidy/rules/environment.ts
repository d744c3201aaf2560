import type { Rule } from '../facts.ts';
import { isShippedSource, placeOf } from '../layout.ts';

const name = 'environment';

/** The bare objects count too: `const { env } = process` would else slip through. */
const ENVIRONMENT = /^(process|Bun)(\.env(\..*)?)?$/;

/** With one reader, the list of variables in that reader is complete, and every other room can be tested without them. */
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
          message: `reads ${reference.name}; only src/main reads the environment, take the value as an option`,
        }));
      }),
};
