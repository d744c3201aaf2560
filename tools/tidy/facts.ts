/** What the rules need to know about one source file. Lines count from 1; paths are relative to the project's root. */
export interface FileFacts {
  readonly path: string;
  readonly lineCount: number;
  readonly imports: readonly ImportFact[];
  readonly functions: readonly FunctionFact[];
  readonly references: readonly ReferenceFact[];
  readonly anyCasts: readonly number[];
  readonly comments: readonly CommentFact[];
}

/** Static, type-only, re-exporting and dynamic imports alike: each of them ties one file to another. */
export interface ImportFact {
  readonly specifier: string;
  readonly line: number;
}

export interface FunctionFact {
  readonly name: string;
  readonly line: number;
  readonly lineCount: number;
}

/**
 * A use of a name that the file does not declare itself, as a dotted chain: `Date.now`, `process.env.PORT`. A leading
 * `globalThis.` is taken off.
 */
export interface ReferenceFact {
  readonly name: string;
  readonly usage: 'call' | 'new' | 'read';
  readonly argumentTexts: readonly string[];
  readonly line: number;
}

export interface CommentFact {
  readonly text: string;
  readonly line: number;
}

export interface Violation {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
  /** What is wrong, and what to do instead. */
  readonly message: string;
}

/** A rule sees all files at once, since some laws (cycles, missing files) are about the whole tree. */
export interface Rule {
  readonly name: string;
  check(files: readonly FileFacts[]): Violation[];
  /** The exceptions of the rule that no file of the whole project needs (any more): they would allow what nobody has weighed. */
  unusedExceptions?(files: readonly FileFacts[]): readonly string[];
}

export function formatViolation(violation: Violation): string {
  return `${violation.path}:${violation.line} ${violation.rule}: ${violation.message}`;
}
