import type { Rule } from '../facts.ts';
import { parseTree } from '../parse.ts';

/** Runs one rule over a tree in memory; returns `path:line` for each violation, in the rule's order. */
export async function checkTree(rule: Rule, texts: Readonly<Record<string, string>>): Promise<string[]> {
  const violations = rule.check(await parseTree(texts));
  return violations.map((violation) => `${violation.path}:${violation.line}`);
}

export async function messagesOf(rule: Rule, texts: Readonly<Record<string, string>>): Promise<string[]> {
  return rule.check(await parseTree(texts)).map((violation) => violation.message);
}
