import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { byProvider, chatCases } from './openai-chat/chat-case.ts';
import { checkCases, describeVerdict, failed, SDKS, type SdkName } from './openai-chat/check-case.ts';
import { type ConformanceRun, startConformanceRun } from './openai-chat/conformance-run.ts';
import { recordingsMissing } from './shared/recordings.ts';

const missing = recordingsMissing();
const providers = [...byProvider(chatCases()).keys()];
if (missing !== undefined)
  test.skip(`recorded chats through the SDKs, beside the project's own (${missing})`, () => undefined);

describe('OpenAI chat through the SDKs', () => {
  let run: ConformanceRun;

  beforeAll(async () => {
    run = await startConformanceRun();
  }, 60_000);

  afterAll(async () => {
    await run?.bed.stop();
  });

  // Object.keys forgets the keys' type, which is just these.
  for (const sdk of Object.keys(SDKS) as SdkName[]) {
    test.each(providers)(
      `\`${sdk}\` gets the same from %s through the gateway as directly`,
      async (provider) => {
        const verdicts = await checkCases(sdk, run.providers.get(provider) ?? [], run.targets);
        expect(verdicts.filter(failed).map(describeVerdict)).toEqual([]);
      },
      120_000,
    );
  }
});
