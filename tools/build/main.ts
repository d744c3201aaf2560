import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checksums } from './checksums.ts';
import { compileExecutable } from './executable.ts';
import { buildFacts } from './facts.ts';
import { buildPackage } from './package.ts';
import { isPlatform, PLATFORMS, type Platform } from './runtime.ts';
import { buildDashboard } from './server.ts';

/*
 * `npm run build [-- --platform NAME …|--all]`: the single executable, as dist/switchyard or, for named platforms, as
 * dist/switchyard-NAME with dist/SHA256SUMS. `npm run build:package`: the npm package, as dist/switchyard-VERSION.tgz. With `--fast`, as for
 * tests, the dashboard is compressed less.
 */

const ROOT = join(import.meta.dir, '..', '..');
const USAGE = `usage: bun tools/build/main.ts package
       bun tools/build/main.ts executable [--platform <${Object.keys(PLATFORMS).join('|')}>]... [--all]
       with [--out <folder>] in place of dist, [--fast]`;

const OPTIONS = {
  platform: { type: 'string', multiple: true },
  all: { type: 'boolean', default: false },
  out: { type: 'string', default: 'dist' },
  fast: { type: 'boolean', default: false },
} as const;

class UsageError extends Error {}

async function main(args: readonly string[]): Promise<void> {
  const { positionals, values } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  const folder = resolve(ROOT, values.out);
  const build = buildFacts(ROOT, process.env);
  const speed = values.fast ? 'fast' : 'usual';
  const [what, ...more] = positionals;
  if (more.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(more[0])}`);
  if (what === 'package') return report(await buildPackage({ root: ROOT, folder, build, speed }));
  if (what !== 'executable') throw new UsageError('say what to build');
  const platforms = values.all ? (Object.keys(PLATFORMS) as Platform[]) : (values.platform ?? []).map(toPlatform);
  const dashboard = (await buildDashboard(ROOT, folder, speed)).path;
  const common = { root: ROOT, build, dashboard };
  if (platforms.length === 0) {
    const outfile = join(folder, 'switchyard');
    await compileExecutable({ ...common, outfile, platform: null });
    return report(outfile);
  }
  const files: string[] = [];
  for (const platform of platforms) {
    const outfile = join(folder, `switchyard-${platform}`);
    await compileExecutable({ ...common, outfile, platform });
    files.push(outfile);
    report(outfile);
  }
  await Bun.write(join(folder, 'SHA256SUMS'), await checksums(files));
}

function toPlatform(name: string): Platform {
  if (isPlatform(name)) return name;
  throw new UsageError(`--platform: unknown platform ${JSON.stringify(name)}`);
}

const MEGABYTE = 1_000_000;

function report(path: string): void {
  console.log(`${relative(process.cwd(), path)} (${(Bun.file(path).size / MEGABYTE).toFixed(1)} MB)`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof UsageError || (error instanceof TypeError && 'code' in error);
  const problems = error instanceof AggregateError ? error.errors : [error];
  for (const problem of problems) console.error(problem instanceof Error ? problem.message : String(problem));
  if (isUsage) console.error(USAGE);
  process.exit(isUsage ? 2 : 1);
}
