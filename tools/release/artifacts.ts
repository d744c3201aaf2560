import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import type { Build } from '../../src/main/build.ts';
import { checksums } from '../build/checksums.ts';
import { compileExecutable } from '../build/executable.ts';
import { buildPackage, NOTICES } from '../build/package.ts';
import { run } from '../build/run.ts';
import { PLATFORMS, type Platform } from '../build/runtime.ts';
import { buildDashboard } from '../build/server.ts';
import { archive } from './archive.ts';
import { notesOf } from './changelog.ts';
import { imageSbom, sbom } from './sbom.ts';

export interface ReleaseOptions {
  readonly root: string;
  readonly version: string;
  readonly build: Build;
  /** The folder for the finished files. It is emptied first. */
  readonly folder: string;
  /** Whether to build images. */
  readonly images: boolean;
  readonly report: (line: string) => void;
}

const CHART = 'deploy/helm/switchyard';
const IMAGE_SCRIPT = 'deploy/build-image.sh';
/** The executables that become images, by the names that images use for processors. */
const IMAGES: readonly { readonly platform: Platform; readonly architecture: string }[] = [
  { platform: 'linux-x64', architecture: 'amd64' },
  { platform: 'linux-arm64', architecture: 'arm64' },
];

/** Builds everything that a release publishes into one folder. */
export async function buildArtifacts(options: ReleaseOptions): Promise<void> {
  const { root, folder } = options;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await mkdir(join(root, 'dist'), { recursive: true });
  const work = await mkdtemp(join(root, 'dist', 'release-'));
  try {
    await packageAndExecutables(options, work);
    await chart(options, work);
    const bill = await sbom(root, options.build.date);
    await Bun.write(join(folder, `switchyard-${options.version}.cdx.json`), bill);
    if (options.images) await images(options, work, bill);
    const changelog = await Bun.file(join(root, 'CHANGELOG.md')).text();
    await Bun.write(join(folder, 'RELEASE_NOTES.md'), `${notesOf(changelog, options.version)}\n`);
    const files = (await readdir(folder)).map((name) => join(folder, name));
    await Bun.write(join(folder, 'SHA256SUMS'), await checksums(files));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

const secondsOf = ({ date }: Build) => Date.parse(date) / 1_000;

async function packageAndExecutables({ root, version, build, folder, report }: ReleaseOptions, work: string) {
  const tarball = await buildPackage({ root, folder: work, build });
  await rename(tarball, join(folder, basename(tarball)));
  report(basename(tarball));
  const dashboard = (await buildDashboard(root, work)).path;
  for (const platform of Object.keys(PLATFORMS) as Platform[]) {
    const name = `switchyard-${version}-${platform}`;
    const content = join(work, name);
    await compileExecutable({ root, build, platform, dashboard, outfile: join(content, 'switchyard') });
    await copyFile(join(root, 'LICENSE'), join(content, 'LICENSE'));
    await copyFile(join(work, 'package', NOTICES), join(content, NOTICES));
    await archive(join(folder, `${name}.tar.gz`), work, [name], secondsOf(build));
    report(`${name}.tar.gz`);
  }
}

/** The name differs from the usual one of a chart, which is that of the npm package. */
async function chart({ root, version, build, folder, report }: ReleaseOptions, work: string): Promise<void> {
  if (!existsSync(join(root, CHART))) return report(`no chart: ${CHART} does not exist`);
  const name = basename(CHART);
  await cp(join(root, CHART), join(work, 'chart', name), { recursive: true });
  const file = `${name}-chart-${version}.tgz`;
  await archive(join(folder, file), join(work, 'chart'), [name], secondsOf(build));
  report(file);
}

/** Uses buildah, which needs no daemon and can make images reproducibly. */
async function images({ root, version, build, folder, report }: ReleaseOptions, work: string, bill: string) {
  if (!existsSync(join(root, IMAGE_SCRIPT))) return report(`no image: ${IMAGE_SCRIPT} does not exist`);
  if (Bun.which('buildah') === null) return report('no image: buildah is not installed');
  for (const { platform, architecture } of IMAGES) {
    const image = `switchyard-${version}-image-${architecture}`;
    const name = `${image}.tar`;
    const packages = join(work, `${image}.packages`);
    const env = {
      ...process.env,
      SOURCE_DATE_EPOCH: String(secondsOf(build)),
      EXECUTABLE: relative(root, join(work, `switchyard-${version}-${platform}`, 'switchyard')),
      ARCHITECTURE: architecture,
      ARCHIVE: join(folder, name),
      PACKAGES: packages,
    };
    await run(['sh', IMAGE_SCRIPT, `switchyard:${version}-${architecture}`], { cwd: root, env });
    await run(['gzip', '--no-name', name], { cwd: folder });
    report(`${name}.gz`);
    const content = { version, architecture, packages: await Bun.file(packages).text() };
    await Bun.write(join(folder, `${image}.cdx.json`), imageSbom(bill, content, build.date));
    report(`${image}.cdx.json`);
  }
}
