import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { computeLineStarts } from 'typescript/unstable/ast/scanner';
import { API } from 'typescript/unstable/async';
import { createVirtualFileSystem } from 'typescript/unstable/fs';
import { collectFacts } from './collect-facts.ts';
import type { FileFacts } from './facts.ts';

const VIRTUAL_ROOT = '/tidy';

type Texts = Readonly<Record<string, string>>;

/*
 * Files are parsed with the compiler's own parser, so that a word in a comment, a string, a template or a regular expression is never mistaken
 * for code. Nothing is resolved or type-checked.
 *
 * The compiler's API is marked unstable; only this file and `collect-facts.ts` use it, and the compiler's version is pinned exactly.
 */

/** Parses a tree of TypeScript files (path → text) in memory. */
export async function parseTree(texts: Texts): Promise<FileFacts[]> {
  const config = `${VIRTUAL_ROOT}/tsconfig.json`;
  const virtualFiles: Record<string, string> = { [config]: configFor(VIRTUAL_ROOT, texts) };
  for (const [path, text] of Object.entries(texts)) virtualFiles[`${VIRTUAL_ROOT}/${path}`] = text;
  const api = new API({ cwd: VIRTUAL_ROOT, fs: createVirtualFileSystem(virtualFiles) });
  return collectFrom(api, config, VIRTUAL_ROOT, texts);
}

/**
 * Parses files that are on the disk with these texts (path from the root → text). The compiler reads them there: sending it the texts of the
 * whole project takes a quarter of the CPU.
 */
export async function parseFiles(root: string, texts: Texts): Promise<FileFacts[]> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-tidy-'));
  try {
    const config = join(folder, 'tsconfig.json');
    await Bun.write(config, configFor(root, texts));
    return await collectFrom(new API({ cwd: root }), config, root, texts);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function collectFrom(api: API, config: string, root: string, texts: Texts): Promise<FileFacts[]> {
  try {
    const snapshot = await api.updateSnapshot({ openProjects: [config] });
    const program = snapshot.getProject(config)?.program;
    if (program === undefined) throw new Error('the TypeScript parser could not open the project');
    return await Promise.all(
      Object.entries(texts)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(async ([path, text]) => {
          const sourceFile = await program.getSourceFile(`${root}/${path}`);
          if (sourceFile === undefined) throw new Error(`the TypeScript parser could not read ${path}`);
          return collectFacts(path, text, sourceFile, computeLineStarts(text));
        }),
    );
  } finally {
    await api.close();
  }
}

function configFor(root: string, texts: Texts): string {
  return JSON.stringify({
    compilerOptions: { noLib: true, noResolve: true, types: [], allowImportingTsExtensions: true, jsx: 'preserve' },
    files: Object.keys(texts).map((path) => `${root}/${path}`),
  });
}
