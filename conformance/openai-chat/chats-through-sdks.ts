import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { RecordingRow } from '../shared/recordings.ts';
import { byProvider, chatCases } from './chat-case.ts';
import { checkCases, describeVerdict, failed, SDKS, type SdkName } from './check-case.ts';
import { type ConformanceRun, startConformanceRun } from './conformance-run.ts';

/** Defines the tests that two SDKs get the same result through the gateway as directly from the provider. */
export function testChatsThroughSdks(exchanges: readonly RecordingRow[]): void {
  describe('OpenAI chat through the SDKs', () => {
    let run: ConformanceRun;

    beforeAll(async () => {
      run = await startConformanceRun(exchanges);
    });

    afterAll(() => run?.bed.stop());

    // `Object.keys` returns `string[]`; these are the only keys.
    for (const sdk of Object.keys(SDKS) as SdkName[]) {
      test.each([...byProvider(chatCases(exchanges)).keys()])(
        `\`${sdk}\` gets the same from %s through the gateway as directly`,
        async (provider) => {
          const verdicts = await checkCases(sdk, run.providers.get(provider) ?? [], run.targets);
          expect(verdicts.filter(failed).map(describeVerdict)).toEqual([]);
        },
        600_000,
      );
    }
  });
}
