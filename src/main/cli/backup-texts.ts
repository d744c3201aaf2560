import { mebibytes } from '../backup/disk-space.ts';
import { type BackupFile, CONFIGURATION_NAME, DATABASE_NAME, type Manifest, mediaPathOf } from '../backup/manifest.ts';

/** Returns lines that say what a backup contains. */
export function describeBackup(manifest: Omit<Manifest, 'files'>, files: readonly BackupFile[]): string[] {
  const { created_at, version, migrations, variables } = manifest;
  const database = files.find(({ name }) => name === DATABASE_NAME);
  const media = files.filter((file) => mediaPathOf(file) !== null);
  const mediaBytes = media.reduce((sum, { bytes }) => sum + bytes, 0);
  const hasConfiguration = files.some(({ name }) => name === CONFIGURATION_NAME);
  const needs = variables.length === 0 ? '' : `; it needs the variables ${variables.join(', ')}`;
  return [
    `backup of ${created_at} by Switchyard ${version}`,
    database === undefined
      ? 'database       not included'
      : `database       ${mebibytes(database.bytes)}, schema ${migrations?.at(-1) ?? 'unknown'}`,
    ...(media.length === 0 ? [] : [`media          ${media.length} files, ${mebibytes(mediaBytes)}`]),
    ...(hasConfiguration ? [`configuration  included${needs}`] : []),
  ];
}
