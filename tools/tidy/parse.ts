import { computeLineStarts } from 'typescript/unstable/ast/scanner';
import { API } from 'typescript/unstable/async';
import { createVirtualFileSystem } from 'typescript/unstable/fs';
import { collectFacts } from './collect-facts.ts';
import type { FileFacts } from './facts.ts';

const VIRTUAL_ROOT = '/tidy';
const VIRTUAL_CONFIG = `${VIRTUAL_ROOT}/tsconfig.json`;

/**
 * Parses a tree of TypeScript files (path → text) with the compiler's own parser, so that a word in a comment, a string, a template or a
 * regular expression is never mistaken for code. Nothing is resolved or type-checked.
 *
 * The compiler's API is marked unstable; only this file and `collect-facts.ts` use it, and the compiler's version is pinned exactly.
 */
export async function parseTree(texts: Readonly<Record<string, string>>): Promise<FileFacts[]> {
  const paths = Object.keys(texts).sort();
  if (paths.length === 0) return [];
  const virtualFiles: Record<string, string> = { [VIRTUAL_CONFIG]: configFor(paths) };
  for (const path of paths) virtualFiles[`${VIRTUAL_ROOT}/${path}`] = texts[path] ?? '';

  const api = new API({ cwd: VIRTUAL_ROOT, fs: createVirtualFileSystem(virtualFiles) });
  try {
    const snapshot = await api.updateSnapshot({ openProjects: [VIRTUAL_CONFIG] });
    const program = snapshot.getProject(VIRTUAL_CONFIG)?.program;
    if (program === undefined) throw new Error('the TypeScript parser could not open the project');
    return await Promise.all(
      paths.map(async (path) => {
        const sourceFile = await program.getSourceFile(`${VIRTUAL_ROOT}/${path}`);
        if (sourceFile === undefined) throw new Error(`the TypeScript parser could not read ${path}`);
        const text = texts[path] ?? '';
        return collectFacts(path, text, sourceFile, computeLineStarts(text));
      }),
    );
  } finally {
    await api.close();
  }
}

function configFor(paths: readonly string[]): string {
  return JSON.stringify({
    compilerOptions: { noLib: true, noResolve: true, types: [], allowImportingTsExtensions: true, jsx: 'preserve' },
    files: paths,
  });
}
