import { exchangesHere } from '../shared/recordings.ts';
import { Campaign, type Finding, KINDS } from './campaign.ts';

/*
 * A long run: `bun conformance/fuzz/main.ts <cases of each kind> <first seed> [kind]`. Prints each problem once, with the seeds that show it.
 * `bun conformance/fuzz/main.ts 1 <seed> <kind>` repeats one case and prints its input.
 */
const [cases = '2000', firstSeed = '1', only] = process.argv.slice(2);
const campaign = new Campaign(exchangesHere());
let isWrong = false;
for (const kind of KINDS) {
  if (only !== undefined && only !== kind) continue;
  const found = new Map<string, { count: number; first: Finding }>();
  const started = performance.now();
  for (let seed = Number(firstSeed); seed < Number(firstSeed) + Number(cases); seed++) {
    const finding = campaign.run(kind, seed);
    if (finding === null) continue;
    for (const problem of finding.problems) {
      const key = problem.replace(/\d+/g, '#');
      const known = found.get(key);
      if (known) known.count++;
      else found.set(key, { count: 1, first: finding });
    }
  }
  process.stdout.write(`${kind}: ${cases} cases in ${Math.round(performance.now() - started)} ms\n`);
  for (const [problem, { count, first }] of [...found].toSorted(([, left], [, right]) => right.count - left.count)) {
    isWrong = true;
    process.stdout.write(`  ${count}× ${problem}\n      first: seed ${first.seed}, ${first.about}\n`);
    if (cases === '1') process.stdout.write(`${first.input}\n`);
  }
}
process.exitCode = isWrong ? 1 : 0;
