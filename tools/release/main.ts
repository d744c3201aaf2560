import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { buildDate, buildFacts } from '../build/facts.ts';
import { buildArtifacts } from './artifacts.ts';
import { git, prepare, ReleaseError } from './prepare.ts';

/*
 * `npm run release -- VERSION [--no-images]`: makes this checkout state the version, commits that, and builds all files of the release into
 * dist/release/VERSION. It publishes nothing. Run again on the same commit, it builds the same files (docs/releasing.md).
 */

const ROOT = join(import.meta.dir, '..', '..');
const USAGE = 'usage: npm run release -- <version> [--no-images]';

async function main(args: readonly string[]): Promise<void> {
  const { positionals, values } = parseArgs({
    args: [...args],
    options: { 'no-images': { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [version, ...more] = positionals;
  if (version === undefined || more.length > 0) throw new ReleaseError(USAGE);
  const prepared = await prepare(ROOT, version, buildDate(process.env, Date.now()).slice(0, 10));
  console.log(prepared === 'committed' ? `committed version ${version}` : `this checkout has version ${version}`);
  // The date of the commit makes the build repeatable.
  const SOURCE_DATE_EPOCH = process.env.SOURCE_DATE_EPOCH ?? (await git(ROOT, 'log', '-1', '--format=%ct'));
  const build = buildFacts(ROOT, { ...process.env, SOURCE_DATE_EPOCH });
  const folder = join(ROOT, 'dist', 'release', version);
  const report = (line: string) => console.log(line);
  await buildArtifacts({ root: ROOT, version, build, folder, images: !values['no-images'], report });
  console.log(
    `The files are in ${relative(process.cwd(), folder)}. To publish them: git tag v${version} && git push origin v${version}`,
  );
  console.log(
    `Then record its data for later versions: bun acceptance/upgrades/make-fixture.ts v${version} ${version}`,
  );
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const problems = error instanceof AggregateError ? error.errors : [error];
  for (const problem of problems) console.error(problem instanceof Error ? problem.message : String(problem));
  process.exit(1);
}
