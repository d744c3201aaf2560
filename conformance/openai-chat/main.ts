import type { RecordingRow } from '../shared/recordings.ts';
import { checkCases, describeVerdict, failed, SDKS, type SdkName, type Verdict } from './check-case.ts';
import { startConformanceRun } from './conformance-run.ts';

interface Count {
  passed: number;
  total: number;
}

const FORMS = ['whole', 'stream'] as const;

// `Object.keys` returns `string[]`; these are the only keys.
const SDK_NAMES = Object.keys(SDKS) as SdkName[];

function tally(verdicts: readonly Verdict[]): ReadonlyMap<string, Count> {
  const counts = new Map<string, Count>();
  for (const verdict of verdicts) {
    const key = `${verdict.sdk} ${verdict.one.streaming ? 'stream' : 'whole'}`;
    const count = counts.get(key) ?? { passed: 0, total: 0 };
    count.total++;
    if (!failed(verdict)) count.passed++;
    counts.set(key, count);
  }
  return counts;
}

const columns = SDK_NAMES.flatMap((sdk) => FORMS.map((form) => `${sdk} ${form}`));

function row(name: string, cells: readonly string[]): string {
  return name.padEnd(14) + cells.map((cell) => cell.padStart(16)).join('');
}

function tableRow(name: string, verdicts: readonly Verdict[]): string {
  const counts = tally(verdicts);
  const cell = (column: string) => {
    const count = counts.get(column);
    return count === undefined ? '-' : `${count.passed}/${count.total}`;
  };
  return row(name, columns.map(cell));
}

/**
 * Relays every chat of the exchanges through two SDKs and prints the results; resolves to whether all passed.
 */
export async function runChatRelay(exchanges: readonly RecordingRow[]): Promise<boolean> {
  const { providers, targets, bed } = await startConformanceRun(exchanges);
  const all: Verdict[] = [];
  try {
    console.log(row('chat, relayed', columns));
    for (const [provider, cases] of providers) {
      const verdicts = (await Promise.all(SDK_NAMES.map((sdk) => checkCases(sdk, cases, targets)))).flat();
      console.log(tableRow(provider, verdicts));
      all.push(...verdicts);
    }
    console.log(tableRow('total', all));
  } finally {
    await bed.stop();
  }
  const failures = all.filter(failed);
  for (const failure of failures) console.log(`\n${describeVerdict(failure)}`);
  const excused = all.filter((verdict) => verdict.problems.length > 0 && !failed(verdict));
  for (const { one, sdk, knownReason } of excused)
    console.log(`\nknown: ${one.recording.file} (${sdk}): ${knownReason}`);
  return failures.length === 0;
}
