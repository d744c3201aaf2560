import { mkdir } from 'node:fs/promises';
import path from 'node:path';

/**
 * Applies the first diff of a page to the files below `root`. Hunks have no line numbers, so the old lines of a hunk must occur exactly
 * once in its file. Returns the paths that were written. Throws if a hunk does not fit.
 */
export async function applyDiffOf(page: string, root: string): Promise<readonly string[]> {
  const diff = page.split('```diff\n')[1]?.split('```')[0];
  if (diff === undefined) throw new Error('the page has no diff');
  const written: string[] = [];
  for (const part of diff.split(/^--- .*\n(?=\+\+\+ b\/)/m).slice(1)) {
    const [heading = '', ...hunks] = part.split(/^@@\n/m);
    const name = heading.trim().replace('+++ b/', '');
    const file = path.join(root, name);
    const isThere = await Bun.file(file).exists();
    let text = isThere ? await Bun.file(file).text() : '';
    for (const hunk of hunks) {
      const lines = hunk.trimEnd().split('\n');
      const before = linesWith(lines, ' -');
      if (isThere && text.split(before).length !== 2)
        throw new Error(`${name} has not exactly one place for:\n${before}`);
      text = isThere ? text.replace(before, () => linesWith(lines, ' +')) : linesWith(lines, '+');
    }
    await mkdir(path.dirname(file), { recursive: true });
    await Bun.write(file, text);
    written.push(name);
  }
  return written;
}

/** Returns the lines that begin with one of the signs, without the sign. */
function linesWith(lines: readonly string[], signs: string): string {
  return lines
    .filter((line) => signs.includes(line[0] ?? ' '))
    .map((line) => `${line.slice(1)}\n`)
    .join('');
}
