import type { FileFacts, Rule, Violation } from '../facts.ts';
import { holdsTests } from '../layout.ts';

const name = 'length';

const MAX_FILE_LINES = 500;
const MAX_FUNCTION_LINES = 70;
/** Generated files, which only compilers read. */
const GENERATED: readonly string[] = ['dashboard/api/schema.ts'];

/**
 * Limits lengths: a file or function that does not fit on a few screens holds more than one thing. Tests are lists of cases, and may be
 * long.
 */
export const length: Rule = {
  name,
  check: (files) =>
    files
      .filter((file) => !holdsTests(file) && !GENERATED.includes(file.path))
      .flatMap((file) => [...checkFileLength(file), ...checkFunctionLengths(file)]),
};

function checkFileLength({ path, lineCount }: FileFacts): Violation[] {
  if (lineCount <= MAX_FILE_LINES) return [];
  const message = `has ${lineCount} lines, more than ${MAX_FILE_LINES}; split it by responsibility`;
  return [{ path, line: MAX_FILE_LINES + 1, rule: name, message }];
}

function checkFunctionLengths({ path, functions }: FileFacts): Violation[] {
  return functions
    .filter((fact) => fact.lineCount > MAX_FUNCTION_LINES)
    .map((fact) => ({
      path,
      line: fact.line,
      rule: name,
      message:
        `${fact.name} has ${fact.lineCount} lines, more than ${MAX_FUNCTION_LINES}; ` +
        'extract its steps into named functions',
    }));
}
