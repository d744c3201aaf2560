import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  type Scalar,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import type { FieldPath } from '../../engine/admin/admin-error.ts';
import { entryOf } from '../../formats/shared/json/record.ts';
import { SecretFileError } from '../secret-files.ts';
import type { FileProblem } from './configuration-error.ts';

/** A file's content as plain values, and their places. */
export interface YamlTree {
  /** The content, with references to the environment resolved. */
  readonly value: unknown;
  readonly problems: readonly FileProblem[];
  /** Returns the line of a field, or of its nearest ancestor in the file. */
  lineOf(path: FieldPath): number;
  /** Returns the value for display in an error, if it differs from the value itself. */
  shownAt(path: FieldPath): string | undefined;
  /** The texts that refer to the environment, with the names of the variables. */
  readonly references: readonly EnvironmentReference[];
}

export interface EnvironmentReference {
  readonly path: FieldPath;
  readonly variables: readonly string[];
}

interface ReadOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Returns whether a number must be kept as the digits in the file. */
  keepsDigits(path: FieldPath): boolean;
}

/** A file with more values is a mistake or an attack (aliases of aliases multiply). */
const MAXIMUM_NODES = 200_000;
const MAXIMUM_DEPTH = 50;

/** Parses YAML 1.2, which includes JSON, with merge keys (`<<`). */
export function readYamlTree(text: string, options: ReadOptions): YamlTree {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const lineAt = (offset: number) => lineCounter.linePos(offset).line;
  if (document.errors.length > 0 || document.warnings.length > 0) {
    const problems = [...document.errors, ...document.warnings].map((error) => syntaxProblem(error, lineAt));
    return { value: undefined, problems, lineOf: () => 1, shownAt: () => undefined, references: [] };
  }
  const reader = new TreeReader(document, lineAt, options);
  const value = reader.read(document.contents, [], 0);
  return {
    value,
    problems: reader.problems,
    lineOf: (path) => reader.lineOf(path),
    shownAt: (path) => reader.shown.get(pathKey(path)),
    references: reader.references,
  };
}

class TreeReader {
  readonly problems: FileProblem[] = [];
  readonly shown = new Map<string, string>();
  readonly references: EnvironmentReference[] = [];
  private readonly lines = new Map<string, number>();
  private nodes = 0;

  constructor(
    private readonly document: Document,
    private readonly lineAt: (offset: number) => number,
    private readonly options: ReadOptions,
  ) {}

  lineOf(path: FieldPath): number {
    for (let length = path.length; length > 0; length--) {
      const line = this.lines.get(pathKey(path.slice(0, length)));
      if (line !== undefined) return line;
    }
    return 1;
  }

  read(node: unknown, path: FieldPath, depth: number): unknown {
    this.nodes++;
    if (this.nodes > MAXIMUM_NODES || depth > MAXIMUM_DEPTH) {
      if (this.nodes <= MAXIMUM_NODES + 1) this.report(path, 'is too large or too deeply nested');
      this.nodes = MAXIMUM_NODES + 1;
      return undefined;
    }
    if (isAlias(node)) {
      const target = node.resolve(this.document);
      if (target === undefined)
        this.report(path, `the alias *${node.source} has no anchor (&${node.source}) before it`);
      return this.read(target, path, depth + 1);
    }
    if (isMap(node)) return this.readMap(node, path, depth);
    if (isSeq(node)) return node.items.map((item, index) => this.readItem(item, [...path, index], depth));
    if (isScalar(node)) return this.readScalar(node, path);
    return null;
  }

  private readItem(item: unknown, path: FieldPath, depth: number): unknown {
    this.mark(item, path);
    return this.read(item, path, depth + 1);
  }

  private readMap(map: YAMLMap, path: FieldPath, depth: number): unknown {
    const own: [string, unknown][] = [];
    const merged: [string, unknown][] = [];
    for (const pair of map.items) {
      if (isScalar(pair.key) && pair.key.value === '<<') merged.push(...this.readMerge(pair, path, depth));
      else own.push(...this.readPair(pair, path, depth));
    }
    // `fromEntries` defines properties, so that a key such as `constructor` is an ordinary key.
    return Object.fromEntries([...merged, ...own]);
  }

  private readPair(pair: Pair, path: FieldPath, depth: number): [string, unknown][] {
    const { key } = pair;
    const name = isScalar(key) ? (typeof key.value === 'string' ? key.value : key.source) : undefined;
    if (name === undefined || name === '' || name === '__proto__') {
      this.mark(key, [...path, '?']);
      this.report([...path, '?'], 'this key must be a string');
      return [];
    }
    const inner = [...path, name];
    this.mark(key, inner);
    return [[name, this.read(pair.value, inner, depth + 1)]];
  }

  private readMerge(pair: Pair, path: FieldPath, depth: number): [string, unknown][] {
    const source = isAlias(pair.value) ? pair.value.resolve(this.document) : pair.value;
    const maps = isSeq(source) ? source.items : [source];
    const entries: [string, unknown][] = [];
    // The first of several merged maps wins (YAML's merge key type), so it is added last.
    for (const item of [...maps].reverse()) {
      const map = isAlias(item) ? item.resolve(this.document) : item;
      if (isMap(map)) entries.push(...Object.entries(this.read(map, path, depth + 1) as object));
      else this.report(path, '"<<" must merge a map');
    }
    return entries;
  }

  private readScalar(scalar: Scalar, path: FieldPath): unknown {
    const { value, source } = scalar;
    if (typeof value === 'number' || typeof value === 'bigint') {
      return source !== undefined && this.options.keepsDigits(path) ? source : Number(value);
    }
    if (typeof value !== 'string') return value;
    const result = interpolate(value, this.options.environment);
    if (result.variables.length > 0) {
      this.shown.set(pathKey(path), result.shown);
      this.references.push({ path, variables: result.variables });
    }
    for (const problem of result.problems) this.report(path, problem);
    return result.value;
  }

  private mark(node: unknown, path: FieldPath): void {
    const offset = (node as { readonly range?: readonly number[] | null } | null)?.range?.[0];
    if (offset !== undefined) this.lines.set(pathKey(path), this.lineAt(offset));
  }

  private report(path: FieldPath, message: string): void {
    this.problems.push({ line: this.lineOf(path), path, message });
  }
}

function pathKey(path: FieldPath): string {
  return JSON.stringify(path);
}

/** Replaces the library's messages, which may quote the file, and with it a secret. */
function syntaxProblem(error: YAMLError, lineAt: (offset: number) => number): FileProblem {
  const message = SYNTAX_MESSAGES[error.code] ?? 'is not valid YAML here';
  return { line: lineAt(error.pos[0]), path: [], message };
}

const SYNTAX_MESSAGES: Partial<Record<YAMLError['code'], string>> = {
  BAD_ALIAS: 'an alias (*name) is malformed or has no anchor (&name) before it',
  BAD_DIRECTIVE: 'unknown YAML directive (%…)',
  BAD_DQ_ESCAPE: 'invalid escape in a double-quoted string (use single quotes, or double the backslash)',
  BAD_INDENT: 'wrong indentation, or a bracket or quote that is not closed',
  BAD_SCALAR_START: 'a plain value cannot begin with this character: put it in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a second ": " on one line: put the value in quotes',
  BLOCK_IN_FLOW: 'an indented block cannot be inside brackets',
  DUPLICATE_KEY: 'this key is repeated in the same map',
  MISSING_CHAR: 'a quote, bracket, comma or space is missing before this',
  MULTILINE_IMPLICIT_KEY: 'a ":" is missing, or a quote is not closed',
  MULTIPLE_DOCS: 'the file may contain only one YAML document ("---")',
  TAB_AS_INDENT: 'a tab cannot indent YAML: use spaces',
  TAG_RESOLVE_FAILED: 'unknown YAML tag (!…)',
  UNEXPECTED_TOKEN:
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the notation of the file that is meant.
    'unexpected characters: check indentation, quotes and brackets; "${…}" within brackets needs quotes',
};

interface Interpolated {
  readonly value: string;
  /** The names of the variables that the value refers to. */
  readonly variables: readonly string[];
  /** The value for display: references by name, without their defaults. */
  readonly shown: string;
  readonly problems: readonly string[];
}

const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\$\{/g;

/**
 * Replaces `${NAME}` and `${NAME:-default}` (used if the variable is unset or empty) with the environment's values, and `$${` with a plain
 * `${`. The values of variables are not interpolated again.
 */
function interpolate(text: string, environment: Readonly<Record<string, string | undefined>>): Interpolated {
  const problems: string[] = [];
  const variables = new Set<string>();
  const value = text.replace(REFERENCE, (match: string, name: string | undefined, fallback: string | undefined) => {
    if (match === '$${') return '${';
    if (name === undefined) {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the notation of the file that is meant.
      problems.push('has a "${" that does not begin ${NAME} or ${NAME:-default}; write "$${" for a literal "${"');
      return '';
    }
    variables.add(name);
    const { found, problem } = variableIn(environment, name);
    if (problem !== null) {
      problems.push(problem);
      return '';
    }
    if (fallback !== undefined) return found === undefined || found === '' ? fallback : found;
    if (found === undefined) problems.push(`the environment variable ${name} is not set`);
    return found ?? '';
  });
  const shown = text.replace(REFERENCE, (match: string, name: string | undefined) => {
    return name === undefined ? match : `\${${name}}`;
  });
  return { value, variables: [...variables], shown, problems };
}

/** Returns a variable's value, or why the file that holds it cannot be read. */
function variableIn(environment: ReadOptions['environment'], name: string) {
  try {
    return { found: entryOf(environment, name), problem: null };
  } catch (error) {
    if (error instanceof SecretFileError) return { found: undefined, problem: error.message };
    throw error;
  }
}
