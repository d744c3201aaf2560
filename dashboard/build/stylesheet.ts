import { join } from 'node:path';
import { compile, optimize } from '@tailwindcss/node';
import { Scanner } from '@tailwindcss/oxide';

/** A file beside the stylesheet, such as a font. */
const OWN_FILE = /url\(\s*["']?(\.\/[^"')]+)["']?\s*\)/g;

/** Files that use classes. Other folders are excluded, because some words and types look like classes. */
const SOURCES = ['*.tsx', '{kit,shell,pages}/**/*.{ts,tsx}'];
const NO_SOURCES = ['**/*.test.{ts,tsx}'];

/**
 * Builds `style.css` with the classes that the sources use.
 *
 * @param addFile makes an asset of a file, and resolves to its name
 */
export async function stylesheet(folder: string, addFile: (path: string) => Promise<string>): Promise<string> {
  const source = await Bun.file(join(folder, 'style.css')).text();
  const compiler = await compile(source, { base: folder, onDependency: () => undefined, shouldRewriteUrls: true });
  const scanner = new Scanner({
    sources: [
      ...SOURCES.map((pattern) => ({ base: folder, pattern, negated: false })),
      ...NO_SOURCES.map((pattern) => ({ base: folder, pattern, negated: true })),
    ],
  });
  const { code } = optimize(compiler.build(scanner.scan()), { minify: true });
  const names = new Map<string, string>();
  for (const [, path = ''] of code.matchAll(OWN_FILE)) names.set(path, await addFile(join(folder, path)));
  return code.replace(OWN_FILE, (_, path: string) => `url(${names.get(path)})`);
}
