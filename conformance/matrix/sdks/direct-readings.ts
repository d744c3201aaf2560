import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { deepDifferences, describeDifferences } from '../../shared/deep-difference.ts';
import type { RecordingRow } from '../../shared/recordings.ts';
import { type Replay, startReplay } from '../../shared/replay.ts';
import { type MatrixCase, matrixCases } from '../cases.ts';
import { DRIVERS, type Driver, drive } from './index.ts';

/** Recorded responses that the provider's own SDK cannot read, each with the reason. */
const UNREADABLE: Readonly<Record<string, string>> = {
  'anthropic/messages/039-gateway-message-delta-metadata.json': 'ends with [DONE], which Anthropic does not send',
  'anthropic/messages/158-test-anthropic-instrumentation-tool-use-in-input-with-block-.json':
    'recorded without its content type',
  'openai/responses/155-test-responses-input-typed-reasoning-item.json': 'recorded without its content type',
  'openai/responses/179-github-copilot-id-rotation-1.json': 'the SDK rejects a response whose id changes',
  'openai/responses/181-openai-apply-patch-tool-1.json': 'the SDK rejects unknown events',
  'openai/chat/155-testagents-test-tool-calling-agent-with-image-has-expected-a.json':
    'recorded without its content type',
};

const OWN_PROVIDERS: readonly string[] = ['openai', 'anthropic', 'gemini'];

/**
 * Defines the tests that the SDKs, connected directly to their own providers, agree with the readers on every
 * `step`th exchange.
 */
export function testDirectReadings(exchanges: readonly RecordingRow[], step: number): void {
  describe('an SDK that calls its own provider reads what the readers read', () => {
    const { cases } = matrixCases(exchanges);
    let replay: Replay;

    beforeAll(async () => {
      const folders = [...new Set(exchanges.map(({ folder }) => folder))];
      replay = await startReplay({ split: 'random', folders });
    });

    afterAll(() => replay?.stop());

    test.each(DRIVERS.map((driver) => [driver.name, driver] as const))(
      '%s',
      async (_name, driver) => {
        const own = cases.filter(
          ({ upstream, recording }) => upstream.format === driver.format && OWN_PROVIDERS.includes(recording.provider),
        );
        const chosen = own.filter((one, index) => index % step === 0 && UNREADABLE[one.recording.file] === undefined);
        expect(chosen.length).toBeGreaterThan(0);
        const problems: string[] = [];
        for (const one of chosen) problems.push(...(await problemsOf(one, driver, replay)));
        expect(problems).toEqual([]);
      },
      600_000,
    );
  });
}

async function problemsOf(one: MatrixCase, driver: Driver, replay: Replay): Promise<readonly string[]> {
  const target = { origin: new URL(replay.baseUrl).origin, apiKey: 'upstream-key', model: one.recording.id };
  const { reading, error } = await drive(driver, {
    target,
    form: one.form,
    withTools: true,
    dialect: one.recording.provider,
  });
  const { file } = one.recording;
  if (one.outcome !== 'answer') return error?.isOwn === true ? [] : [`${file}: ${error?.message ?? 'no error'}`];
  if (reading === null) return [`${file}: ${error?.message}`];
  const { candidates, usage } = reading;
  return describeDifferences(deepDifferences(one.expected, { candidates, usage })).map((line) => `${file}: ${line}`);
}
