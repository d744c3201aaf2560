import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { describeError } from '../../../domain/text/describe-error.ts';
import type { Configuration } from '../../../engine/admin/configuration/configuration.ts';
import { DEFAULT_MEDIA_STORE, type S3Place } from '../../../engine/ports/media-store.ts';
import type { GatewayNode } from '../../../engine/ports/node-registry.ts';
import { S3Shelf } from '../../../stores/media/s3-shelf.ts';
import { PINNED_RUNTIME, VERSION } from '../../build.ts';
import { workerCount } from '../../group/worker-count.ts';
import { availableMemory, describeMemory, memoryInForce, size } from '../../memory.ts';
import { systemClock } from '../../system.ts';
import { CommandError } from '../command-error.ts';
import { masterSecretPath, readMasterSecret } from '../master-secret.ts';
import type { Environment, Settings } from '../settings.ts';
import { freeAt } from './check-disk.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

export function checkRuntime(): Finding {
  if (Bun.version === PINNED_RUNTIME) return ok('runtime', `Bun ${Bun.version}, Switchyard ${VERSION}`);
  return warn(
    'runtime',
    `Bun ${Bun.version} instead of ${PINNED_RUNTIME}: start with "npm start" or bin/switchyard.mjs`,
  );
}

/** Checks that the data folder is writable by writing to it: permissions alone do not reveal read-only mounts and quotas. */
export async function checkDataFolder({ dataDirectory }: Settings): Promise<Finding> {
  return checkFolder('data folder', resolve(dataDirectory), 'SWITCHYARD_DATA');
}

/** @param setting the name of the setting that defines the folder */
async function checkFolder(subject: string, path: string, setting: string): Promise<Finding> {
  const found = await stat(path).catch(() => null);
  if (found === null) return checkParent(subject, path, setting);
  if (!found.isDirectory()) return fail(subject, `${path} is a file: set ${setting} to a folder`);
  const probe = join(path, `.doctor-${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeFile(probe, 'probe', { flag: 'wx' });
    await unlink(probe);
    return ok(subject, path);
  } catch (error) {
    return fail(subject, `${path} cannot be written (${codeOf(error)}): give this user access, or set ${setting}`);
  }
}

async function checkParent(subject: string, path: string, setting: string): Promise<Finding> {
  let parent = dirname(path);
  while (parent !== dirname(parent) && (await stat(parent).catch(() => null)) === null) parent = dirname(parent);
  try {
    await access(parent, constants.W_OK | constants.X_OK);
    return ok(subject, `${path} will be created at the first start`);
  } catch (error) {
    return fail(subject, `${path} cannot be created in ${parent} (${codeOf(error)}): set ${setting} to another folder`);
  }
}

/** Checks that there is a master secret that can open the database, and that only its owner can read it. */
export async function checkMasterSecret(settings: Settings): Promise<Finding> {
  const subject = 'master secret';
  if (settings.secret !== null) {
    if (settings.secret.length >= 16) return ok(subject, 'from SWITCHYARD_SECRET');
    return fail(subject, 'SWITCHYARD_SECRET must have at least 16 characters');
  }
  const path = masterSecretPath(settings.dataDirectory);
  try {
    if ((await readMasterSecret(path)) === null) return await missingSecret(subject, path, settings);
  } catch (error) {
    if (error instanceof CommandError) return fail(subject, error.message);
    throw error;
  }
  const { mode } = await stat(path);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    return fail(subject, `${path} can be read by others (mode ${(mode & 0o777).toString(8)}): run "chmod 600 ${path}"`);
  }
  if (settings.databaseUrl === null) return ok(subject, path);
  return warn(subject, `${path} is the only copy: set SWITCHYARD_SECRET to its content on every node of the database`);
}

async function missingSecret(subject: string, path: string, settings: Settings): Promise<Finding> {
  if (settings.databaseUrl !== null) {
    return fail(
      subject,
      'SWITCHYARD_SECRET is required with DATABASE_URL: create one with "switchyard secret generate" and set it on every node',
    );
  }
  if (!(await exists(settings.databasePath))) {
    return ok(subject, `${path} will be created at the first start`);
  }
  return fail(subject, `${path} is missing, but the upstream keys in the database need it: restore it from a backup`);
}

export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

function codeOf(error: unknown): string {
  return String((error as { readonly code?: unknown }).code ?? error);
}

const SUBJECT = 'media store';

/** Checks that the files that answers link to can be stored. */
export async function checkMediaStore(configuration: Configuration | null, settings: Settings): Promise<Finding> {
  const { kind, folder, s3, minFreeBytes } = configuration?.mediaStore ?? DEFAULT_MEDIA_STORE;
  if (kind === 'none') return ok(SUBJECT, 'none: responses with links contain the bytes instead, or fail');
  if (s3 !== null) return checkBucket(s3);
  const path = resolve(folder ?? join(settings.dataDirectory, 'media'));
  const found = await checkFolder(SUBJECT, path, folder === null ? 'SWITCHYARD_DATA' : 'media_store.folder');
  if (found.level === 'FAIL') return found;
  const { bytes: freeBytes } = await freeAt(path);
  if (freeBytes >= minFreeBytes) return found;
  const mib = (bytes: number) => `${Math.floor(bytes / 2 ** 20)} MiB`;
  return warn(
    SUBJECT,
    `${path}: ${mib(freeBytes)} free on the disk, below the reserve of ${mib(minFreeBytes)}: no file can be stored. Free some space, or lower media_store.min_free_bytes`,
  );
}

/** Checks that all live nodes keep media in the same place; a single node yields no finding. */
export function checkMediaPlaces(nodes: readonly GatewayNode[]): readonly Finding[] {
  const places = new Set(nodes.flatMap(({ mediaPlace }) => mediaPlace ?? []));
  if (places.size < 2) return [];
  const hosts = [...new Set(nodes.map(({ hostName }) => hostName))].join(', ');
  const message = `the nodes (${hosts}) store media in ${places.size} different places, so no links are created: give all nodes one shared folder or bucket (media_store.s3)`;
  return [fail(SUBJECT, message)];
}

async function checkBucket(place: S3Place): Promise<Finding> {
  const where = `bucket ${place.bucket} at ${place.endpoint ?? 'Amazon S3'}`;
  try {
    await new S3Shelf({ place, clock: systemClock }).reach();
    return ok(SUBJECT, `${where} can be listed`);
  } catch (error) {
    const { error: reason } = describeError(error);
    return fail(
      SUBJECT,
      `${where} cannot be listed (${reason}): check endpoint, region, bucket and keys of media_store.s3`,
    );
  }
}

/** Checks that the configured memory bounds fit into the memory of the machine or the container. */
export function checkMemory(
  configuration: Configuration | null,
  environment: Environment,
  availableBytes = availableMemory(environment),
): Finding {
  const subject = 'memory';
  const workers = workerCount(environment);
  const memory = memoryInForce(configuration, workers, availableBytes);
  const { bodyMemoryBytes, maxHeldAnswerBytes, maxHeldMediaBytes } = memory.bounds;
  const held = (bodyMemoryBytes + maxHeldAnswerBytes + maxHeldMediaBytes) * workers;
  if (held <= memory.availableBytes) return ok(subject, describeMemory(memory));
  return warn(
    subject,
    `bodies, responses and media may use ${size(held)}, but ${size(memory.availableBytes)} is available: lower server.body_memory_bytes, server.max_held_answer_bytes or media.max_held_bytes, or remove them to use defaults that fit`,
  );
}
