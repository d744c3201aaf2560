import path from 'node:path';

const PROJECT = path.join(import.meta.dir, '..', '..');

/** What `npm run build` makes. */
export const EXECUTABLE = path.join(PROJECT, 'dist', 'switchyard');

/**
 * What runs the gateway and its commands, in front of the arguments: the sources on Bun, or what SWITCHYARD_ENTRY names, a program of
 * Bun or an executable. `npm test` names the executable, which starts in half of the time.
 */
export const GATEWAY_PROGRAM: readonly string[] = programOf(process.env.SWITCHYARD_ENTRY);

function programOf(entry: string | undefined): readonly string[] {
  if (!entry) return [process.execPath, path.join(PROJECT, 'src', 'main', 'switchyard.ts')];
  return /\.[cm]?[jt]s$/.test(entry) ? [process.execPath, entry] : [entry];
}
