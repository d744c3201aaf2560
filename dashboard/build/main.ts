import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { encodeBundle } from '../../src/transports/shared/bundle.ts';
import { bundle } from './bundle.ts';

/*
 * `bun dashboard/build/main.ts [--fast] [FILE]`: builds the dashboard into one file, or to standard output. The gateway runs it as a child
 * process, since the bundler would keep 120 MB.
 */

/** Brotli levels: see docs/decisions/018-dashboard.md. The last takes seconds and is for bundles that are built once. */
const BROTLI_LEVELS = { fast: 4, usual: 9, smallest: 11 } as const;

const args = process.argv.slice(2);
const [file] = args.filter((one) => !one.startsWith('--'));
const brotliLevel = BROTLI_LEVELS[args.includes('--fast') ? 'fast' : file === undefined ? 'usual' : 'smallest'];

try {
  const built = encodeBundle(await bundle({ folder: join(import.meta.dir, '..'), brotliLevel }));
  if (file !== undefined) await mkdir(dirname(file), { recursive: true });
  await Bun.write(file === undefined ? Bun.stdout : Bun.file(file), built);
} catch (error) {
  console.error(messagesOf(error).join('\n'));
  process.exitCode = 1;
}

/** Returns one line per problem, with its place in the sources. */
function messagesOf(error: unknown): string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(messagesOf);
  if (!(error instanceof Error || error instanceof BuildMessage || error instanceof ResolveMessage))
    return [String(error)];
  const position = 'position' in error ? error.position : null;
  return [position === null ? error.message : `${position.file}:${position.line}:${position.column} ${error.message}`];
}
