import { createHash } from 'node:crypto';
import { basename } from 'node:path';

/** Resolves to the text of a SHA256SUMS file, which `sha256sum --check` reads, sorted by name. All files are in one folder. */
export async function checksums(paths: readonly string[]): Promise<string> {
  const sorted = [...paths].sort((left, right) => (basename(left) < basename(right) ? -1 : 1));
  const lines: string[] = [];
  for (const path of sorted) lines.push(`${await sha256(path)}  ${basename(path)}\n`);
  return lines.join('');
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of Bun.file(path).stream()) hash.update(bytes);
  return hash.digest('hex');
}
