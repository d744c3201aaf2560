import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { metricsOf, type Sample } from '../shared/metrics.ts';
import type { JournalEntry } from '../shared/replay.ts';
import { TestClock } from '../shared/test-clock.ts';
import { type FaultBed, requestLog, startFaultBed } from './bed.ts';
import { type BrokenServers, faultChannels, startBrokenServers } from './broken-servers.ts';
import { FAULTS, faultCases } from './faults.ts';
import { inParallel } from './in-parallel.ts';
import { logProblems, metricsProblems } from './records.ts';
import { type CaseRun, runCase } from './run-case.ts';
import { type Answers, FORMATS } from './upstreams.ts';

const CONCURRENT_CASES = 24;

/** Tests that a model's clients avoid a failing channel while another one answers. */
export function describeFailingChannels(answers: Answers, lanes: 'both' | 'alternating'): void {
  describe('a healthy channel behind a failing one', () => {
    const cases = faultCases(answers, lanes);
    let bed: FaultBed;
    let broken: BrokenServers;
    let runs: readonly CaseRun[] = [];
    let journal: readonly JournalEntry[] = [];
    let log: Awaited<ReturnType<typeof requestLog>> = [];
    let metrics: readonly Sample[] = [];

    beforeAll(async () => {
      broken = await startBrokenServers();
      const { stop } = broken;
      bed = await startFaultBed({
        answers,
        // The clock stands still, so an open breaker stays open.
        clock: new TestClock(),
        configure: (replays) => ({ channels: faultChannels(cases, replays, broken) }),
        stop,
      });
      runs = await inParallel(cases, CONCURRENT_CASES, (one) => runCase(bed, one));
      journal = await bed.bad.journal();
      log = await requestLog(
        bed,
        runs.reduce((sum, { requests }) => sum + requests, 0),
      );
      metrics = await metricsOf(bed.serving());
    }, 600_000);

    afterAll(async () => {
      await bed?.stop();
    });

    /** Returns the problems in the cases of one test, with lane and form. */
    function problems(fault: string, client: string, of: (run: CaseRun) => readonly string[]): readonly string[] {
      const found = runs.filter(({ one }) => one.fault.name === fault && one.client === client);
      expect(found.length).toBeGreaterThan(0);
      return found.flatMap((run) => of(run).map((line) => `${run.one.lane.name}, ${run.one.form}: ${line}`));
    }

    test('no request went over an unsafe connection', () => {
      expect(broken.unsafeRequests()).toBe(0);
    });

    for (const { name } of FAULTS) {
      describe(name, () => {
        test.each(FORMATS)(
          '%s gets the whole response of the other channel, or an error after the first byte',
          (client) => {
            expect(problems(name, client, ({ answer }) => answer)).toEqual([]);
          },
        );

        test.each(FORMATS)('%s avoids the failing channel after a few failures', (client) => {
          expect(problems(name, client, (run) => [...run.rotation, ...journalProblems(run, journal)])).toEqual([]);
        });

        test.each(FORMATS)('the request log names the failure for %s', (client) => {
          expect(problems(name, client, ({ one }) => logProblems(one, log))).toEqual([]);
        });

        test.each(FORMATS)('the metrics name the failure for %s', (client) => {
          expect(problems(name, client, ({ one }) => metricsProblems(one, metrics))).toEqual([]);
        });
      });
    }
  });
}

/** From the upstream's view: it was requested while in rotation, and never afterwards. */
function journalProblems({ one, prompts }: CaseRun, journal: readonly JournalEntry[]): readonly string[] {
  if (!['replay', 'silent', 'mid', 'silent-mid'].includes(one.fault.place)) return [];
  const received = journal.filter(({ url, body }) => url.includes(one.badModel) || body.includes(one.badModel));
  const came = (prompt: string) => received.some(({ body }) => body.includes(prompt));
  const lost = prompts.failed.filter((prompt) => !came(prompt)).map((prompt) => `never came upstream: ${prompt}`);
  return [...lost, ...prompts.spared.filter(came).map((prompt) => `came to the channel that is out: ${prompt}`)];
}
