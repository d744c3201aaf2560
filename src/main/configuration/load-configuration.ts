import { readFile } from 'node:fs/promises';
import type { FieldPath, Problem } from '../../engine/admin/admin-error.ts';
import type { Configuration, SettingVariables } from '../../engine/admin/configuration/configuration.ts';
import {
  type ConfigurationFile,
  fileSchema,
  isDecimal,
  toConfiguration,
} from '../../engine/admin/schema/configuration-file.ts';
import { meaningProblems } from '../../engine/admin/schema/meaning-problems.ts';
import { withRetentionMoved } from '../../engine/admin/schema/retention-section.ts';
import { shapeProblems, valueAt } from '../../engine/admin/schema/shape-problems.ts';
import type { Providers } from '../../providers/manifest.ts';
import { ConfigurationError, type FileProblem, formatProblems } from './configuration-error.ts';
import { readYamlTree, type YamlTree } from './yaml-tree.ts';

export interface LoadOptions {
  /** The variables for `${NAME}`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly providers: Providers;
}

const LARGEST_FILE_BYTES = 16 * 1024 * 1024;

/** A configuration with the places of its fields. */
export interface LocatedConfiguration {
  readonly configuration: Configuration;
  /** Returns the line of a field, or of its nearest ancestor in the file. */
  lineOf(path: FieldPath): number;
}

/** Reads and validates a configuration file (YAML or JSON). Throws `ConfigurationError` with all problems at once. */
export async function loadConfiguration(path: string, options: LoadOptions): Promise<Configuration> {
  return parseConfiguration(path, await readText(path), options);
}

/** Does the same, and keeps the places of the fields. */
export async function loadWithLines(path: string, options: LoadOptions): Promise<LocatedConfiguration> {
  return parseWithLines(path, await readText(path), options);
}

async function readText(path: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw new ConfigurationError([`${path}: cannot be read: ${readErrorText(error)}`]);
  }
  if (bytes.byteLength > LARGEST_FILE_BYTES) throw new ConfigurationError([`${path}: is larger than 16 MiB`]);
  return decode(path, bytes);
}

function decode(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ConfigurationError([`${path}: is not UTF-8 text`]);
  }
}

/** The authors of generated files want to see all problems. */
const MOST_PROBLEMS_OF_FILE = 1_000;

/** Validates a configuration's text; `file` is its name in errors. Throws `ConfigurationError`. */
export function parseConfiguration(file: string, text: string, options: LoadOptions): Configuration {
  return parseWithLines(file, text, options).configuration;
}

function parseWithLines(file: string, text: string, options: LoadOptions): LocatedConfiguration {
  const written = readYamlTree(text, { environment: options.environment, keepsDigits: isDecimal });
  const tree = { ...written, value: withRetentionMoved(written.value) };
  const parsed = fileSchema.safeParse(tree.value ?? {});
  const problems = [...tree.problems];
  if (tree.value !== undefined) {
    const shape = parsed.success
      ? []
      : shapeProblems(tree.value ?? {}, parsed.error.issues, undefined, MOST_PROBLEMS_OF_FILE);
    const found = [...shape, ...meaningProblems(tree.value, options.providers)];
    problems.push(
      ...without(
        problems,
        found.map((problem) => locateProblem(tree, problem)),
      ),
    );
  }
  if (problems.length > 0 || !parsed.success) throw new ConfigurationError(formatProblems(file, problems));
  if (saysNothing(parsed.data)) throw new ConfigurationError([`${file}: ${NOTHING_SAID}`]);
  const source = { path: file, value: tree.value, variables: variablesOf(tree) };
  const configuration = toConfiguration(parsed.data, options.providers, source);
  return { configuration, lineOf: (path) => tree.lineOf(path) };
}

/** Returns the variables of each setting. Those of a list's elements belong to the list. */
function variablesOf({ references }: YamlTree): SettingVariables {
  const found = new Map<string, Set<string>>();
  for (const { path, variables } of references) {
    const end = path.findIndex((part) => typeof part === 'number');
    const field = path.slice(0, end === -1 ? undefined : end).join('.');
    found.set(field, new Set([...(found.get(field) ?? []), ...variables]));
  }
  return Object.fromEntries([...found].map(([field, names]) => [field, [...names]]));
}

const NOTHING_SAID =
  'is empty, or has only comments. To remove all channels, models and keys, write ' +
  '`channels: []`, `models: []`, `accounts: []`';

/**
 * Detects an empty file, as left by an interrupted write or a missing mount; applying it would remove everything that the last one created.
 */
function saysNothing(file: ConfigurationFile): boolean {
  return Object.values(file).every((member) => member === undefined || member === null);
}

/** Keeps only the first problem of each field: a variable that is not set, a wrong shape, a wrong meaning. */
function without(reported: readonly FileProblem[], found: readonly FileProblem[]): FileProblem[] {
  const taken = new Set(reported.map((problem) => JSON.stringify(problem.path)));
  return found.filter((problem) => {
    const key = JSON.stringify(problem.path);
    return !taken.has(key) && taken.add(key);
  });
}

function readErrorText(error: unknown): string {
  const code = (error as { readonly code?: unknown }).code;
  if (code === 'ENOENT') return 'no such file';
  if (code === 'EISDIR') return 'it is a directory';
  if (code === 'EACCES') return 'permission denied';
  return String(code ?? 'unknown error');
}

/** Adds the problem's line, and the wrong value if it may be shown. */
export function locateProblem(tree: YamlTree, { path, message, isAboutValue, earlier }: Problem): FileProblem {
  const first = earlier === undefined ? '' : ` in line ${tree.lineOf(earlier)}`;
  const shown = isAboutValue ? shownValue(tree, path) : '';
  return { line: tree.lineOf(path), path, message: message + first + shown };
}

/**
 * Formats ` (got "abc")` for a value that cannot be a secret: not in a secret's field, not from the environment, without a key's prefix,
 * not an address with a password, and shorter than providers' keys.
 */
function shownValue(tree: YamlTree, path: FieldPath): string {
  if (path.some((part) => SECRET_FIELDS.has(part))) return '';
  const reference = tree.shownAt(path);
  if (reference !== undefined) return ` (got ${reference})`;
  const value = valueAt(tree.value, path);
  if (typeof value === 'number' || typeof value === 'boolean') return ` (got ${value})`;
  if (typeof value === 'string' && value.length <= LONGEST_SHOWN && !/^(sk|mt)-|:\/\/[^/]*@/.test(value)) {
    return ` (got ${JSON.stringify(value)})`;
  }
  if (Array.isArray(value)) return ' (got a list)';
  return typeof value === 'object' && value !== null ? ' (got a map)' : '';
}

const SECRET_FIELDS: ReadonlySet<string | number> = new Set([
  'api_key',
  // One of a channel's `api_keys`.
  'key',
  'secret',
  'metrics_token',
  'settings',
  'client_secret',
  'access_key_id',
  'secret_access_key',
  'session_token',
  'password',
  'smtp_url',
  // A collector's headers hold its access token.
  'headers',
  // The path of a webhook's URL may be a credential.
  'url',
]);
const LONGEST_SHOWN = 20;
