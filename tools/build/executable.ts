import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Build } from '../../src/main/build.ts';
import { PLATFORMS, type Platform, runtimeFor } from './runtime.ts';
import { serverOptions } from './server.ts';

export interface ExecutableOptions {
  readonly root: string;
  readonly outfile: string;
  readonly build: Build;
  /** `null` for the platform of this process. */
  readonly platform: Platform | null;
  /** The file of `buildDashboard`. */
  readonly dashboard: string;
}

/**
 * Bytecode of top-level functions only: ready in the same time as with that of all functions, and smaller (docs/installing.md has the
 * sizes).
 */
const BYTECODE_DEPTH = 1;

/** Compiles the server, its workers, its data, the dashboard and Bun into one executable file. */
export async function compileExecutable({
  root,
  outfile,
  build,
  platform,
  dashboard,
}: ExecutableOptions): Promise<void> {
  await mkdir(dirname(outfile), { recursive: true });
  const own = serverOptions(root, build);
  const runtime =
    platform === null ? {} : { target: PLATFORMS[platform].target, executablePath: await runtimeFor(root, platform) };
  await Bun.build({
    ...own,
    entrypoints: [...own.entrypoints, dashboard],
    bytecode: true,
    bytecodeDepth: BYTECODE_DEPTH,
    compile: { ...runtime, outfile, autoloadBunfig: false },
  });
}
