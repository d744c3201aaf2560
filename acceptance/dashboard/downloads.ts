import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

/** Resolves to the text of the file behind a download link. */
export async function download(page: Page, name: string): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).click()]);
  return await readFile(await file.path(), 'utf8');
}

/** Parses CSV into rows by header. Fields must not contain commas. */
export function rowsOf(csv: string): Record<string, string>[] {
  const [head = '', ...lines] = csv.trimEnd().split(/\r?\n/);
  const names = head.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((field, index) => [names[index] ?? '', field])));
}
