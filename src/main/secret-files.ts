import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { CommandError } from './cli/command-error.ts';
import type { Environment } from './cli/settings.ts';

const SUFFIX = '_FILE';
/** Far beyond any key, certificate or credentials file, and still small enough for the environment of a worker. */
const LARGEST_BYTES = 64 * 1024;

/**
 * The variables that a gateway reads once. Their files are not read again, since a worker with another secret or database than its siblings
 * would harm them. All others are read again whenever the configuration is.
 */
const READ_ONCE: readonly string[] = [
  'SWITCHYARD_SECRET',
  'SWITCHYARD_NEW_SECRET',
  'DATABASE_URL',
  'REDIS_URL',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
];

/**
 * The variables that hold no secret. They have no `_FILE` form: `SWITCHYARD_CONFIG_FILE`, for example, would look like the path of the
 * configuration, and errors about these variables show their values.
 */
const NEVER_FROM_FILE: ReadonlySet<string> = new Set([
  'ACCESS_LOG',
  'PORT',
  'HOST',
  'LOG_FORMAT',
  'LOG_LEVEL',
  'OLLAMA_HOST',
  'NO_PROXY',
  'DATABASE_CONNECTIONS',
  'DATABASE_UPGRADE',
  'SWITCHYARD_DATA',
  'SWITCHYARD_FIRST_START',
  'SWITCHYARD_CONFIG',
  'SWITCHYARD_WORKERS',
  'SWITCHYARD_MEMORY',
]);

/** A variable ending in `_FILE` cannot be used. The message names the variable and the path, and never the contents. */
export class SecretFileError extends CommandError {}

/**
 * Returns the environment with the variables that files hold: `NAME` has the contents of the file that `NAME_FILE` names, without one
 * trailing newline. A file is read only when its variable is, because many variables of other programs end in `_FILE`; reading then throws
 * `SecretFileError`. Such variables are not enumerable, so that a copy of the environment for another process contains no secret.
 */
export function withSecretFiles(environment: Environment): Environment {
  const result: Record<string, string | undefined> = { ...environment };
  for (const fileVariable of Object.keys(environment)) {
    const name = fileVariable.slice(0, -SUFFIX.length);
    if (!fileVariable.endsWith(SUFFIX) || name === '' || NEVER_FROM_FILE.has(name)) continue;
    if (secretFileOf(environment, name) === null) continue;
    const read = () => secretIn(environment, name);
    const get = READ_ONCE.includes(name) ? once(read) : read;
    Object.defineProperty(result, name, { get, enumerable: false, configurable: true });
  }
  return result;
}

/** Returns the path of the file that holds a variable; `null` if the variable itself does, or nothing. */
export function secretFileOf(environment: Environment, name: string): string | null {
  return NEVER_FROM_FILE.has(name) ? null : environment[`${name}${SUFFIX}`] || null;
}

/**
 * Returns the environment for a worker. Variables that a gateway reads once have the values that this process has read; those of providers
 * and of the configuration file are read by the worker, as the configuration file is.
 *
 * @param environment the environment of this process
 * @param resolved the same with the contents of files
 */
export function workerEnvironment(environment: Environment, resolved: Environment): Environment {
  const passedOn = READ_ONCE.filter((name) => secretFileOf(environment, name) !== null);
  const names = new Set(passedOn.map((name) => `${name}${SUFFIX}`));
  const others = Object.entries(environment).filter(([name]) => !names.has(name));
  return { ...Object.fromEntries(others), ...Object.fromEntries(passedOn.map((name) => [name, resolved[name]])) };
}

function once<Value>(read: () => Value): () => Value {
  let known: { readonly value: Value } | null = null;
  return () => {
    known ??= { value: read() };
    return known.value;
  };
}

function secretIn(environment: Environment, name: string): string {
  const path = secretFileOf(environment, name) ?? '';
  const variable = `${name}${SUFFIX}`;
  if (environment[name]) throw new SecretFileError(`${variable}: ${name} is set as well. Remove one of the two`);
  const problem = (text: string) => new SecretFileError(`${variable}: ${path}: ${text}`);
  let bytes: Uint8Array | string;
  try {
    bytes = readBounded(path);
  } catch (error) {
    throw problem(readProblem(error));
  }
  if (typeof bytes === 'string') throw problem(bytes);
  const secret = textOf(bytes)?.replace(/\r?\n$/, '');
  if (secret === undefined) throw problem('is not UTF-8 text. Write the secret into it as text');
  if (secret === '') throw problem('is empty. Write the secret into it');
  return secret;
}

/** Returns the file's bytes, or why they cannot be used. Pipes and devices are refused, since they could block or never end. */
function readBounded(path: string): Uint8Array | string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (found.isDirectory()) return 'is a directory. Name the file in it that holds the secret';
    if (!found.isFile()) return 'is not a regular file. Name a file that holds the secret';
    const bytes = new Uint8Array(LARGEST_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null);
    }
    if (length > LARGEST_BYTES)
      return `is larger than ${LARGEST_BYTES / 1024} KiB. Name a file that holds only the secret`;
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** Returns `undefined` for bytes that cannot be the value of a variable. */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function readProblem(error: unknown): string {
  const code = String((error as { readonly code?: unknown }).code ?? 'unknown error');
  if (code === 'ENOENT') return 'there is no such file. Create or mount it, or correct the path';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied. Let the user of the gateway read it';
  return `cannot be read (${code})`;
}
