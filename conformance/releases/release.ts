import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import type { Known } from './known.ts';

/** The files of a release; README.md says how they are made. */
export const FILES = {
  sqlite: { data: 'sqlite.gz', known: 'sqlite.json.gz' },
  postgres: { data: 'postgres.sql.gz', known: 'postgres.json.gz' },
} as const;
export type StoreKind = keyof typeof FILES;

/** The data of a released version. */
export interface Release {
  readonly version: string;
  readonly commit: string;
}

export function folderOf(version: string): string {
  return join(import.meta.dir, version);
}

/** Returns the releases with a folder here, oldest first. */
export function releases(): readonly Release[] {
  return readdirSync(import.meta.dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name: version }) => ({ version, commit: readFileSync(join(folderOf(version), 'commit'), 'utf8').trim() }))
    .sort((one, other) => Bun.semver.order(one.version, other.version));
}

export async function knownOf(version: string, kind: StoreKind): Promise<Known> {
  return JSON.parse(await unpacked(version, FILES[kind].known));
}

/** Copies the SQLite file of a release to a path. */
export async function copyRelease(version: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const packed = await Bun.file(join(folderOf(version), FILES.sqlite.data)).bytes();
  await writeFile(path, Bun.gunzipSync(packed), { mode: 0o600 });
}

/** Loads the PostgreSQL dump of a release into an empty database. */
export async function loadRelease(version: string, url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(await unpacked(version, FILES.postgres.data));
  } finally {
    await client.end();
  }
}

async function unpacked(version: string, file: string): Promise<string> {
  const packed = await Bun.file(join(folderOf(version), file)).bytes();
  return new TextDecoder().decode(Bun.gunzipSync(packed));
}
