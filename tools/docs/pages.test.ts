import { expect, test } from 'bun:test';
import path from 'node:path';
import { PAGES } from './main.ts';

for (const { file, make } of PAGES) {
  test(`${path.basename(file)} says what the code does; \`bun tools/docs/main.ts\` writes it anew`, async () => {
    expect(await Bun.file(file).text()).toBe(make());
  });
}
