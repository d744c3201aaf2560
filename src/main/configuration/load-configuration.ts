import { readFile } from 'node:fs/promises';
import type { Configuration } from '../../engine/admin/configuration/configuration.ts';
import {
  type ConfigurationFile,
  fileSchema,
  isDecimal,
  toConfiguration,
} from '../../engine/admin/schema/configuration-file.ts';
import { meaningProblems } from '../../engine/admin/schema/meaning-problems.ts';
import { withRetentionMoved } from '../../engine/admin/schema/retention-section.ts';
import { shapeProblems } from '../../engine/admin/schema/shape-problems.ts';
import type { Providers } from '../../providers/manifest.ts';
import { ConfigurationError, type FileProblem, formatProblems } from './configuration-error.ts';
import { locateProblem } from './locate-problem.ts';
import { readYamlTree } from './yaml-tree.ts';

export interface LoadOptions {
  /** The variables for `${NAME}`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly providers: Providers;
}

const LARGEST_FILE_BYTES = 16 * 1024 * 1024;

/** Reads and validates a configuration file (YAML or JSON). Throws `ConfigurationError` with all problems at once. */
export async function loadConfiguration(path: string, options: LoadOptions): Promise<Configuration> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw new ConfigurationError([`${path}: cannot be read: ${readErrorText(error)}`]);
  }
  if (bytes.byteLength > LARGEST_FILE_BYTES) throw new ConfigurationError([`${path}: is larger than 16 MiB`]);
  return parseConfiguration(path, decode(path, bytes), options);
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
  return toConfiguration(parsed.data, options.providers, { path: file, value: tree.value });
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
