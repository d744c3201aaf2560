import { type FieldPath, formatPath } from '../../engine/admin/schema/problem.ts';

/** One thing that is wrong with the file, and where. */
export interface FileProblem {
  readonly line: number;
  readonly path: FieldPath;
  /** Begins in lower case and completes `field: …`. Never holds a secret. */
  readonly message: string;
}

/** A configuration file cannot be used; `problems` has one finished line for each thing that is wrong. */
export class ConfigurationError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigurationError';
    this.problems = problems;
  }
}

/** `switchyard.yaml:12: channels[1].timeouts.connect_ms: must be …`, sorted by line, without repetitions. */
export function formatProblems(file: string, problems: readonly FileProblem[]): readonly string[] {
  const sorted = [...problems].sort((a, b) => a.line - b.line);
  const lines = sorted.map(({ line, path, message }) => {
    return [`${file}:${line}`, ...(path.length === 0 ? [] : [formatPath(path)]), message].join(': ');
  });
  return [...new Set(lines)];
}
