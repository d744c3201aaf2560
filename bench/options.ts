import { parseArgs } from 'node:util';
import { type TargetName, targetNames } from './targets/targets.ts';

export interface Options {
  readonly quick: boolean;
  readonly full: boolean;
  readonly only: readonly string[];
  readonly targets: readonly TargetName[];
  readonly jsonFile?: string;
  readonly rounds?: number;
}

export const usage = `npm run bench -- [options]
  --quick             about half a minute: few and short rounds, the short scenarios
  --full              memory after 1 million requests instead of 200,000
  --only NAME         only this scenario (repeatable, or a list with commas)
  --targets A,B       of ${targetNames.join(', ')}; default bare,gateway,gateway-unlimited,nginx
  --rounds N          how often the targets alternate
  --json FILE         write everything measured as JSON`;

function splitNames(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(',')).filter((name) => name !== '');
}

function isTargetName(name: string): name is TargetName {
  return targetNames.some((known) => known === name);
}

/** Throws an Error with a readable message for what it does not understand. */
export function parseOptions(argv: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      targets: { type: 'string', multiple: true, default: ['bare,gateway,gateway-unlimited,nginx'] },
      rounds: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const names = splitNames(values.targets);
  const unknown = names.filter((name) => !isTargetName(name));
  if (unknown.length > 0) throw new Error(`no target ${unknown.join(', ')}; there are ${targetNames.join(', ')}`);
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0))
    throw new Error('--rounds needs a whole number above 0');
  return {
    quick: values.quick,
    full: values.full,
    only: splitNames(values.only),
    targets: names.filter(isTargetName),
    ...(values.json === undefined ? {} : { jsonFile: values.json }),
    ...(rounds === undefined ? {} : { rounds }),
  };
}
