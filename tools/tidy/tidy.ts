import { join } from 'node:path';
import type { FileFacts, Rule, Violation } from './facts.ts';
import { parseTree } from './parse.ts';
import { RULES } from './rules/index.ts';

/** The folders that hold the project's own TypeScript. */
const TREES = '{src,tools,bench,conformance,acceptance,dashboard}/**/*.{ts,tsx}';

export async function readProject(root: string): Promise<FileFacts[]> {
  const texts: Record<string, string> = {};
  for await (const path of new Bun.Glob(TREES).scan({ cwd: root })) {
    if (!path.includes('node_modules/')) texts[path] = await Bun.file(join(root, path)).text();
  }
  return parseTree(texts);
}

export interface Findings {
  readonly violations: readonly Violation[];
  /** Of rules that only report. */
  readonly reports: readonly Violation[];
}

export function checkProject(files: readonly FileFacts[]): Findings {
  const found = (rules: readonly Rule[]) => rules.flatMap((rule) => rule.check(files)).sort(inOrder);
  return {
    violations: found(RULES.filter(({ onlyReports }) => !onlyReports)),
    reports: found(RULES.filter(({ onlyReports }) => onlyReports)),
  };
}

/** What a rule lets pass although nothing needs that any longer. */
export function unusedExceptions(files: readonly FileFacts[]): readonly string[] {
  return RULES.flatMap((rule) => rule.unusedExceptions?.(files) ?? []);
}

function inOrder(left: Violation, right: Violation): number {
  return compareText(left.path, right.path) || left.line - right.line || compareText(left.rule, right.rule);
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
