import { CERTIFICATE, CERTIFICATE_KEY } from '../../src/upstream/testing/self-signed-certificate.ts';
import { freePort } from '../shared/child-process.ts';
import type { Replay } from '../shared/replay.ts';
import { channelOf, HASTY } from './channels.ts';
import { type FaultCase, type FaultPlace, goodChannelId } from './faults.ts';
import { FORMATS } from './upstreams.ts';

/** Addresses at which no connection, or no safe one, can be had. */
export interface BrokenServers {
  readonly refusedUrl: string;
  readonly selfSignedUrl: string;
  /** How many requests came through an unsafe connection. */
  readonly unsafeRequests: () => number;
  readonly stop: () => Promise<void>;
}

export async function startBrokenServers(): Promise<BrokenServers> {
  let requests = 0;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { cert: CERTIFICATE, key: CERTIFICATE_KEY },
    fetch: () => {
      requests++;
      return new Response('a request came through an unsafe connection', { status: 500 });
    },
  });
  return {
    refusedUrl: `http://127.0.0.1:${await freePort()}/v1`,
    selfSignedUrl: `https://127.0.0.1:${server.port}/v1`,
    unsafeRequests: () => requests,
    stop: () => server.stop(true),
  };
}

/** Longer than the tests take: a channel that is out does not come back by itself. */
const STAYS_OUT = { cooldown_ms: 120_000 };

/** Where nothing has to be waited for, no wait of a busy machine may be taken for the fault. */
const TIMEOUTS: Readonly<Partial<Record<FaultPlace, Readonly<Record<string, number>>>>> = {
  silent: HASTY,
  mid: { ...HASTY, connect_ms: 5_000, first_byte_ms: 5_000 },
};

/** The failing channels by place and format, and the healthy ones behind them. */
export function faultChannels(
  cases: readonly FaultCase[],
  { bad, good }: { readonly bad: Replay; readonly good: Replay },
  { refusedUrl, selfSignedUrl }: BrokenServers,
): readonly object[] {
  const baseUrls: Readonly<Record<FaultPlace, string>> = {
    replay: bad.baseUrl,
    silent: bad.baseUrl,
    mid: bad.baseUrl,
    refused: refusedUrl,
    // A label of more than 63 characters fails without a name server, which may take its time.
    unresolved: `http://${'no-such-host'.repeat(6)}.invalid/v1`,
    'plain-port': bad.baseUrl.replace('http:', 'https:'),
    'self-signed': selfSignedUrl,
  };
  const failing = [...Map.groupBy(cases, ({ badChannel }) => badChannel)].flatMap(([id, served]) => {
    const [{ fault, lane } = { fault: undefined, lane: undefined }] = served;
    if (fault === undefined) return [];
    const models = Object.fromEntries(served.map(({ publicId, badModel }) => [publicId, badModel]));
    const timeouts = TIMEOUTS[fault.place];
    return channelOf({
      id,
      format: lane.bad,
      baseUrl: baseUrls[fault.place],
      models,
      breaker: STAYS_OUT,
      ...(timeouts && { timeouts }),
    });
  });
  const healthy = FORMATS.flatMap((format) => {
    const id = goodChannelId(format);
    const served = cases.filter(({ goodChannel }) => goodChannel === id);
    const models = Object.fromEntries(served.map(({ publicId, goodModel }) => [publicId, goodModel]));
    return served.length === 0 ? [] : channelOf({ id, format, baseUrl: good.baseUrl, models, priority: 1 });
  });
  return [...failing, ...healthy];
}
