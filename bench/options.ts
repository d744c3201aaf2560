import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chooseRivals, rivals } from './targets/rivals/index.ts';
import type { Rival } from './targets/rivals/rival.ts';
import { type TargetName, targetNames } from './targets/targets.ts';

export interface Options {
  readonly quick: boolean;
  readonly full: boolean;
  readonly only: readonly string[];
  readonly targets: readonly TargetName[];
  readonly jsonFile?: string;
  readonly rounds?: number;
  /** Other gateways to measure instead of the scenarios; undefined if not requested. */
  readonly rivals?: readonly Rival[];
  /** The pace of the rivals' latency scenario. */
  readonly requestsPerSecond: number;
  readonly markdownFile?: string;
  /** Compares with the landed figures, or with the checkout at `against`; undefined if not requested. */
  readonly check?: { readonly against?: string; readonly writesFigures: boolean };
}

const usualTargets: readonly TargetName[] = [
  ...(['bare', 'gateway', 'gateway-unlimited', 'gateway-sampled', 'gateway-telemetry', 'nginx'] as const),
  ...(['gateway-unused-guards', 'gateway-unused-search', 'gateway-unused-traces'] as const),
];
const defaultRate = 50; // The slowest of the rivals can keep this pace on one core.

export const usage = `npm run bench -- [options]
  --quick             about half a minute: few short rounds, short scenarios only
  --full              measure memory after 1 million requests instead of 200,000
  --only NAME         only this scenario (repeatable, or comma-separated)
  --targets A,B       some of ${targetNames.join(', ')}; default ${usualTargets.join(',')}
  --rounds N          the number of rounds in which the targets alternate
  --check             compare with the figures in budgets.json; the exit code is 1 for a regression over 10 %
  --against PATH      compare with the gateway of this checkout instead, in alternation
  --write-figures     replace the figures in budgets.json by those of this run
  --json FILE         write all measurements as JSON
  --rivals [A,B]      measure other gateways instead, if installed; some of ${rivals.map(({ name }) => name).join(', ')}
  --rate N            requests per second for the rivals' latency; default ${defaultRate}
  --markdown FILE     write the rivals' table as Markdown`;

function splitNames(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(',')).filter((name) => name !== '');
}

/** Allows `--rivals` without a value, which the argument parser does not support. */
function withRivalsNamed(argv: readonly string[]): string[] {
  return argv.flatMap((argument, index) => {
    if (argument !== '--rivals') return [argument];
    const next = argv[index + 1];
    return next === undefined || next.startsWith('-') ? ['--rivals='] : [argument];
  });
}

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!(Number.isInteger(value) && value > 0)) throw new Error(`${name} must be a whole number above 0`);
  return value;
}

export function isTargetName(name: string): name is TargetName {
  return targetNames.some((known) => known === name);
}

/** Throws an Error with a readable message for unknown arguments. */
export function parseOptions(argv: readonly string[]): Options {
  const { values } = parseArgs({
    args: withRivalsNamed(argv),
    options: {
      quick: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      targets: { type: 'string', multiple: true },
      rounds: { type: 'string' },
      json: { type: 'string' },
      rivals: { type: 'string', multiple: true },
      rate: { type: 'string' },
      markdown: { type: 'string' },
      check: { type: 'boolean', default: false },
      against: { type: 'string' },
      'write-figures': { type: 'boolean', default: false },
    },
  });
  const names = splitNames(values.targets ?? usualTargets.filter((name) => !values.check || name !== 'nginx'));
  const unknown = names.filter((name) => !isTargetName(name));
  if (unknown.length > 0) throw new Error(`unknown target ${unknown.join(', ')}; use ${targetNames.join(', ')}`);
  const check = checkOptions(values.check, values.against, values['write-figures']);
  const rounds = wholeNumber('--rounds', values.rounds);
  return {
    quick: values.quick,
    full: values.full,
    only: splitNames(values.only),
    targets: names.filter(isTargetName),
    ...(values.json === undefined ? {} : { jsonFile: values.json }),
    ...(rounds === undefined ? {} : { rounds }),
    ...(values.rivals === undefined ? {} : { rivals: chooseRivals(splitNames(values.rivals)) }),
    requestsPerSecond: wholeNumber('--rate', values.rate) ?? defaultRate,
    ...(values.markdown === undefined ? {} : { markdownFile: values.markdown }),
    ...(check === undefined ? {} : { check }),
  };
}

function checkOptions(isCheck: boolean, against: string | undefined, writesFigures: boolean): Options['check'] {
  if (!isCheck && (against !== undefined || writesFigures)) {
    throw new Error('--against and --write-figures need --check');
  }
  if (against !== undefined && !existsSync(join(against, 'src/main/switchyard.ts'))) {
    throw new Error(`--against: ${against} is no checkout of the gateway`);
  }
  return isCheck ? { writesFigures, ...(against === undefined ? {} : { against }) } : undefined;
}
