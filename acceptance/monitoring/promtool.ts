import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { PROJECT } from '../../conformance/shared/workspace.ts';
import type { RunbookPage } from '../../tools/monitoring/alerts/alert.ts';
import { alertNamed } from '../../tools/monitoring/alerts/index.ts';
import type { AlertCase } from './alert-case.ts';

/* Runs cases with `promtool test rules`, the program of Prometheus for that purpose. */

export const RULES = join(PROJECT, 'deploy', 'prometheus', 'rules.yaml');

/** A file of rules, and the names of its groups in the order in which they are evaluated. */
interface CaseRules {
  readonly rules: string;
  readonly groups: readonly string[];
}

/** Returns a file of tests. Prometheus writes each firing alert as a sample of the series `ALERTS`. */
function testFile({ rules, groups }: CaseRules, every: string, cases: readonly AlertCase[]): string {
  return stringify({
    rule_files: [rules],
    evaluation_interval: every,
    // Otherwise in any order: alerts would then read the records of the step before, which may be too old.
    group_eval_order: groups,
    tests: cases.map(({ alert, when, series, at, fires }) => ({
      name: `${alert}: ${when}`,
      interval: every,
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      promql_expr_test: [
        {
          expr: `ALERTS{alertname="${alert}", alertstate="firing"}`,
          eval_time: at,
          exp_samples: fires.map((labels) => ({ labels: sample(alert, labels), value: 1 })),
        },
      ],
    })),
  });
}

function sample(alert: string, labels: Readonly<Record<string, string>>): string {
  const { severity } = alertNamed(alert);
  const all = { alertname: alert, alertstate: 'firing', severity, ...labels };
  return `ALERTS{${Object.entries(all)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}}`;
}

export interface PromtoolResult {
  readonly exitCode: number;
  readonly output: string;
}

export async function promtool(...args: readonly string[]): Promise<PromtoolResult> {
  const child = Bun.spawn(['promtool', ...args], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { exitCode, output: stdout + stderr };
}

/**
 * Runs all cases, with one start of the program per page of the runbooks and interval: each case evaluates every rule of its file, and those
 * of the objective look days back.
 */
export async function runCases(folder: string, cases: readonly AlertCase[]): Promise<PromtoolResult> {
  const all: RulesFile = parse(await Bun.file(RULES).text());
  const files: string[] = [];
  for (const [page, ofPage] of Map.groupBy(cases, ({ alert }) => alertNamed(alert).page)) {
    const rules = join(folder, `${page}.rules.yaml`);
    const needed = all.groups.filter(({ name }) => isNeeded(name, page));
    await Bun.write(rules, stringify({ groups: needed }));
    for (const [every, own] of Map.groupBy(ofPage, (one) => one.every ?? '1m')) {
      const file = join(folder, `${page}-${every}.test.yaml`);
      await Bun.write(file, testFile({ rules, groups: needed.map(({ name }) => name) }, every, own));
      files.push(file);
    }
  }
  return promtool('test', 'rules', ...files);
}

interface RulesFile {
  readonly groups: readonly { readonly name: string }[];
}

function isNeeded(group: string, page: RunbookPage): boolean {
  return group === `switchyard-${page}` || (page === 'requests' && group === 'switchyard-objective');
}
