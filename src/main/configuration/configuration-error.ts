import { type FieldPath, formatPath } from '../../engine/admin/admin-error.ts';

/** One problem of the file, and its place. */
export interface FileProblem {
  readonly line: number;
  readonly path: FieldPath;
  /** Starts in lower case and completes `field: …`. Never contains a secret. */
  readonly message: string;
}

/** A configuration file is unusable; `problems` has one complete line per problem. */
export class ConfigurationError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigurationError';
    this.problems = problems;
  }
}

/** Formats `switchyard.yaml:12: channels[1].timeouts.connect_ms: must be …`, sorted by line, without repetitions. */
export function formatProblems(file: string, problems: readonly FileProblem[]): readonly string[] {
  const sorted = [...problems].sort((a, b) => a.line - b.line);
  const lines = sorted.map(({ line, path, message }) => {
    return [`${file}:${line}`, ...(path.length === 0 ? [] : [formatPath(path)]), message].join(': ');
  });
  return [...new Set(lines)];
}
