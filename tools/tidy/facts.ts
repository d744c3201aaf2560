/** The facts that rules need about one source file. Lines count from 1; paths are relative to the project's root. */
export interface FileFacts {
  readonly path: string;
  readonly lineCount: number;
  readonly imports: readonly ImportFact[];
  readonly functions: readonly FunctionFact[];
  readonly references: readonly ReferenceFact[];
  readonly anyCasts: readonly number[];
  readonly comments: readonly CommentFact[];
}

/** A static, type-only, re-exporting or dynamic import: each of them ties one file to another. */
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
 * A use of a name that the file does not declare, as a dotted chain: `Date.now`, `process.env.PORT`. A leading `globalThis.` is removed.
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
  /** The problem and its remedy. */
  readonly message: string;
}

/** A rule receives all files at once, since some laws (cycles, missing files) concern the whole tree. */
export interface Rule {
  readonly name: string;
  check(files: readonly FileFacts[]): Violation[];
  /** Returns the rule's exceptions that no file of the project needs any more: they would allow what nobody has reviewed. */
  unusedExceptions?(files: readonly FileFacts[]): readonly string[];
}

export function formatViolation(violation: Violation): string {
  return `${violation.path}:${violation.line} ${violation.rule}: ${violation.message}`;
}
