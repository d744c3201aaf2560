import path from 'node:path';

const PROJECT = path.join(import.meta.dir, '..', '..');

/** The output of `npm run build`. */
export const EXECUTABLE = path.join(PROJECT, 'dist', 'switchyard');

/**
 * The command that runs the gateway: the sources on Bun, or the script or executable in SWITCHYARD_ENTRY. `npm test` uses the executable,
 * which starts twice as fast.
 */
export const GATEWAY_PROGRAM: readonly string[] = programOf(process.env.SWITCHYARD_ENTRY);

function programOf(entry: string | undefined): readonly string[] {
  if (!entry) return [process.execPath, path.join(PROJECT, 'src', 'main', 'switchyard.ts')];
  return /\.[cm]?[jt]s$/.test(entry) ? [process.execPath, entry] : [entry];
}
