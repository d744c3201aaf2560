import { exchangesHere, type RecordingRow } from '../shared/recordings.ts';
import { rareRequests, recordedRequests } from './recorded-requests.ts';
import { startRequestBed } from './request-bed.ts';
import { checkRequests, describeProblem, requestTable } from './run-requests.ts';

/**
 * Sends every request of the exchanges to every other format and prints the outcomes; resolves to true if
 * none failed.
 */
export async function runRequests(exchanges: readonly RecordingRow[]): Promise<boolean> {
  const bed = await startRequestBed();
  try {
    const verdicts = await checkRequests(bed, [...recordedRequests(exchanges), ...rareRequests()]);
    console.log(requestTable(verdicts));
    const failures = verdicts.filter(({ outcome }) => outcome === 'failed');
    for (const failure of failures) console.log(`\n${describeProblem(failure)}`);
    return failures.length === 0;
  } finally {
    await bed.stop();
  }
}

if (import.meta.main) process.exit((await runRequests(exchangesHere())) ? 0 : 1);
