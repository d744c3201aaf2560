import { join } from 'node:path';
import type { FileFacts, Violation } from './facts.ts';
import { parseFiles } from './parse.ts';
import { RULES } from './rules/index.ts';

/** The folders that contain the project's own TypeScript. */
const TREES = '{src,tools,bench,conformance,acceptance,dashboard,deploy}/**/*.{ts,tsx}';

export async function readProject(root: string): Promise<FileFacts[]> {
  const texts: Record<string, string> = {};
  for await (const path of new Bun.Glob(TREES).scan({ cwd: root })) {
    if (!path.includes('node_modules/')) texts[path] = await Bun.file(join(root, path)).text();
  }
  return parseFiles(root, texts);
}

export function checkProject(files: readonly FileFacts[]): Violation[] {
  return RULES.flatMap((rule) => rule.check(files)).sort(
    (left, right) => compareText(left.path, right.path) || left.line - right.line || compareText(left.rule, right.rule),
  );
}

/** Returns the exceptions of rules that nothing needs any more. */
export function unusedExceptions(files: readonly FileFacts[]): readonly string[] {
  return RULES.flatMap((rule) => rule.unusedExceptions?.(files) ?? []);
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
