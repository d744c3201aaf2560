import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PINNED_RUNTIME } from '../../src/main/build.ts';

/** A package whose code is in a build. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The texts of its licence files and notices; empty if it has none. */
  readonly texts: readonly string[];
}

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)/i;
/** The folder of a package, and the scope and name: greedy, because packages may be nested. */
const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Returns the folders of the packages that the files belong to, sorted and without duplicates. The project's own files belong to none. */
export function packageFolders(files: Iterable<string>): readonly string[] {
  const folders = new Set<string>();
  for (const file of files) {
    const folder = PACKAGE.exec(file.replaceAll('\\', '/'))?.[0];
    if (folder !== undefined) folders.add(folder);
  }
  return [...folders].sort();
}

/** Reads a package's name, version and licence. Rejects if it states no licence, because it could not be distributed then. */
async function readPackage(root: string, folder: string): Promise<BundledPackage> {
  const { name, version, license } = await Bun.file(join(root, folder, 'package.json')).json();
  if (typeof license !== 'string')
    throw new Error(`${folder}/package.json states no licence; do not bundle the package`);
  const names = (await readdir(join(root, folder))).filter((one) => LICENSE_FILE.test(one)).sort();
  const texts = await Promise.all(names.map((one) => Bun.file(join(root, folder, one)).text()));
  return { name, version, license, texts: texts.map((text) => text.trim()) };
}

/** Renders the notices that the licences of the bundled packages require. */
export function renderNotices(packages: readonly BundledPackage[]): string {
  const parts = packages.map(({ name, version, license, texts }) =>
    [`${name} ${version} (${license})`, ...(texts.length === 0 ? ['The package has no licence file.'] : texts)].join(
      '\n\n',
    ),
  );
  return `${[INTRODUCTION, ...parts].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

const INTRODUCTION = `Switchyard contains code of the following packages.

The single executable also contains Bun ${PINNED_RUNTIME} (MIT), and the npm package installs it. Bun's own components and their licences are
listed at https://bun.com/docs/project/license.`;

/** Resolves to the notices of the packages that the files belong to. */
export async function noticesFor(root: string, files: Iterable<string>): Promise<string> {
  const packages = await Promise.all(packageFolders(files).map((folder) => readPackage(root, folder)));
  const unique = new Map(packages.map((one) => [`${one.name} ${one.version}`, one]));
  return renderNotices([...unique.values()].sort((left, right) => (left.name < right.name ? -1 : 1)));
}
