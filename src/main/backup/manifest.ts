import { z } from 'zod';
import { isFolderFile } from '../../stores/media/folder-files.ts';

export const FORMAT_VERSION = 1;
export const MANIFEST_NAME = 'manifest.json';
export const DATABASE_NAME = 'database.sqlite';
export const SECRET_NAME = 'master-secret';
export const CONFIGURATION_NAME = 'configuration.yaml';
const MEDIA_PREFIX = 'media/';

const fileSchema = z.object({
  name: z.string(),
  bytes: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const manifestSchema = z.object({
  format: z.literal('switchyard-backup'),
  format_version: z.number().int(),
  /** The version of the program. */
  version: z.string(),
  created_at: z.string(),
  /** The names of the migrations of the database, which say its schema; `null` if the backup has no database. */
  migrations: z.array(z.string()).nullable(),
  /** The environment variables that the configuration file refers to. */
  variables: z.array(z.string()),
  files: z.array(fileSchema),
});

/** The last file of a backup, so that an incomplete backup has none. */
export type Manifest = z.infer<typeof manifestSchema>;
export type BackupFile = z.infer<typeof fileSchema>;

/** Thrown for a backup that cannot be made or used. The message is one line that says what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

export function mediaName(name: string): string {
  return `${MEDIA_PREFIX}${name}`;
}

/** Returns the path in the media folder of a file in a backup, or `null` if it is not one of the media store. */
export function mediaPathOf({ name, bytes }: Pick<BackupFile, 'name' | 'bytes'>): string | null {
  const path = name.startsWith(MEDIA_PREFIX) ? name.slice(MEDIA_PREFIX.length) : '';
  return isFolderFile({ name: path, bytes }) ? path : null;
}

/** Whether a backup may have a file of this name and size. Everything else could be placed outside of the data folder. */
export function isBackupFile(file: Pick<BackupFile, 'name' | 'bytes'>): boolean {
  return [DATABASE_NAME, SECRET_NAME, CONFIGURATION_NAME].includes(file.name) || mediaPathOf(file) !== null;
}

/** Parses and validates a manifest. Throws a `BackupError`. */
export function parseManifest(text: string): Manifest {
  const parsed = manifestSchema.safeParse(jsonOf(text));
  if (!parsed.success) throw new BackupError(`${MANIFEST_NAME} is invalid: ${firstProblem(parsed.error)}`);
  const manifest = parsed.data;
  if (manifest.format_version > FORMAT_VERSION) {
    throw new BackupError(`the backup has a newer format; restore it with Switchyard ${manifest.version} or later`);
  }
  const wrong = manifest.files.find((file) => !isBackupFile(file));
  if (wrong !== undefined) throw new BackupError(`the backup lists ${printable(wrong.name)}, which no backup contains`);
  return manifest;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function firstProblem({ issues }: z.ZodError): string {
  const [issue] = issues;
  return issue === undefined ? 'unknown' : `${issue.path.join('.') || 'the file'}: ${issue.message}`;
}

export function printable(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
}
