import { startGatewayWith } from '../shared/gateway.ts';
import { startReplay } from '../shared/replay.ts';
import { type MatrixCase, streamedCase } from './cases.ts';
import { channelsOf } from './channels.ts';
import { checkExchange, laneOf, type Places, type Verdict } from './check.ts';
import type { Driver } from './sdks/index.ts';

export interface MatrixBed {
  readonly places: Places;
  /** The reasons for which providers would have refused the gateway's requests. */
  readonly refusals: () => readonly string[];
  /** Returns the gateway's log, for a failure's report. */
  readonly output: () => string;
  readonly stop: () => Promise<void>;
}

/**
 * One upstream that replays the exchanges with random splits, and one gateway with a channel for each provider and
 * format. `settings` are further sections of its configuration.
 */
export async function startMatrixBed(cases: readonly MatrixCase[], settings: object = {}): Promise<MatrixBed> {
  const folders = [...new Set(cases.map(({ recording }) => recording.folder))];
  const replay = await startReplay({ split: 'random', folders });
  try {
    const gateway = await startGatewayWith(channelsOf(cases, replay.strictUrlOf), { ...settings });
    return {
      places: {
        gateway: { origin: gateway.origin, apiKey: gateway.apiKey },
        replay: { origin: new URL(replay.baseUrl).origin, apiKey: 'upstream-key' },
      },
      refusals: replay.refusals,
      output: gateway.output,
      stop: async () => {
        await gateway.stop();
        await replay.stop();
      },
    };
  } catch (error) {
    await replay.stop();
    throw error;
  }
}

export interface Exchange {
  readonly one: MatrixCase;
  readonly driver: Driver;
}

/**
 * Returns all exchanges of these cases. If the gateway translates, a whole response is also sent to a client that
 * requests a stream; a relayed one reaches the client unchanged.
 */
export function exchangesOf(cases: readonly MatrixCase[], drivers: readonly Driver[]): readonly Exchange[] {
  return cases.flatMap((one) => {
    const streamed = streamedCase(one);
    return drivers.flatMap((driver) => {
      const also = streamed === null || laneOf(one, driver) === 'relayed' ? [] : [{ one: streamed, driver }];
      return [{ one, driver }, ...also];
    });
  });
}

/** A refused exchange mostly waits for the gateway's back-off, so the concurrency can be high. */
const CONCURRENT_EXCHANGES = 16;

/** Checks all exchanges with limited concurrency; the verdicts are in the order of the exchanges. */
export async function checkExchanges(exchanges: readonly Exchange[], places: Places): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = new Array(exchanges.length);
  const waiting = exchanges.entries();
  const worker = async () => {
    for (const [position, { one, driver }] of waiting) verdicts[position] = await checkExchange(one, driver, places);
  };
  await Promise.all(Array.from({ length: CONCURRENT_EXCHANGES }, worker));
  return verdicts;
}
