import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refuseUnfinishedRestore } from '../../stores/sqlite/unfinished-restore.ts';
import { Exchange } from './exchange.ts';

let folder: string;
let exchange: Exchange;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-exchange-'));
  exchange = new Exchange(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const OLD = ['media', 'switchyard.sqlite'];
const NEW = ['configuration.yaml', 'media', 'switchyard.sqlite'];

async function put(parent: string, names: readonly string[], text: string): Promise<void> {
  for (const name of names) {
    if (name !== 'media') await writeFile(join(parent, name), text);
    else {
      await mkdir(join(parent, name));
      await writeFile(join(parent, name, 'file'), text);
    }
  }
}

async function contentOf(parent: string): Promise<Record<string, string>> {
  const names = (await readdir(parent)).sort();
  const texts = names.map((name) =>
    readFile(name === 'media' ? join(parent, name, 'file') : join(parent, name), 'utf8'),
  );
  const found = await Promise.all(texts.map((text) => text.catch(() => 'a folder')));
  return Object.fromEntries(names.map((name, at) => [name, found[at] ?? '']));
}

const all = (names: readonly string[], text: string) => Object.fromEntries(names.map((name) => [name, text]));

async function prepare(): Promise<void> {
  await put(folder, OLD, 'old');
  await exchange.begin();
  await put(exchange.staging, NEW, 'new');
}

test('new files replace the old ones, which are kept aside', async () => {
  await prepare();
  await exchange.publish(NEW, OLD, 'replaced-1');
  expect(await contentOf(folder)).toEqual({ ...all(NEW, 'new'), 'replaced-1': 'a folder' });
  expect(await contentOf(join(folder, 'replaced-1'))).toEqual(all(OLD, 'old'));
});

/* Each step of an exchange is a rename. An exchange that ended after any of them must be undone, unless it was the last. */
const STEPS = OLD.length + NEW.length;

test.each(Array.from({ length: STEPS + 1 }, (_, steps) => steps))(
  'an exchange that was killed after %d renames is undone or complete',
  async (steps) => {
    await prepare();
    const journal = JSON.stringify({ names: NEW, aside: 'replaced-1' });
    await writeFile(join(folder, '.restore', 'journal.json'), journal);
    await mkdir(join(folder, 'replaced-1'));
    const renames = [
      ...OLD.map((name) => [join(folder, name), join(folder, 'replaced-1', name)] as const),
      ...NEW.map((name) => [join(exchange.staging, name), join(folder, name)] as const),
    ];
    for (const [from, to] of renames.slice(0, steps)) await rename(from, to);
    expect(() => refuseUnfinishedRestore(folder)).toThrow('was interrupted');
    await exchange.recover();
    const complete = { ...all(NEW, 'new'), 'replaced-1': 'a folder' };
    expect(await contentOf(folder)).toEqual(steps === STEPS ? complete : all(OLD, 'old'));
    expect(() => refuseUnfinishedRestore(folder)).not.toThrow();
  },
);

test('files that were only prepared are removed', async () => {
  await prepare();
  await exchange.recover();
  expect(await contentOf(folder)).toEqual(all(OLD, 'old'));
});
