import { CERTIFICATE, CERTIFICATE_KEY } from '../../src/upstream/testing/self-signed-certificate.ts';
import { freePort } from '../shared/free-port.ts';
import type { Replay } from '../shared/replay.ts';
import { channelOf, TIMEOUTS } from './channels.ts';
import { type FaultCase, type FaultPlace, goodChannelId } from './faults.ts';
import { FORMATS } from './upstreams.ts';

/** URLs that accept no connection, or no safe one. */
export interface BrokenServers {
  readonly refusedUrl: string;
  readonly selfSignedUrl: string;
  /** Returns the number of requests over unsafe connections. */
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

/** Returns the URL of a channel whose upstream fails in this place. */
export function channelAddress(place: FaultPlace, bad: Replay, { refusedUrl, selfSignedUrl }: BrokenServers): string {
  switch (place) {
    case 'refused':
      return refusedUrl;
    case 'self-signed':
      return selfSignedUrl;
    case 'plain-port':
      return bad.baseUrl.replace('http:', 'https:');
    case 'unresolved':
      // A label of more than 63 characters fails without a name server, which may be slow.
      return `http://${'no-such-host'.repeat(6)}.invalid/v1`;
    default:
      return bad.baseUrl;
  }
}

/** Returns the failing channels by place and format, and the healthy ones behind them. */
export function faultChannels(
  cases: readonly FaultCase[],
  { bad, good }: { readonly bad: Replay; readonly good: Replay },
  broken: BrokenServers,
): readonly object[] {
  const failing = [...Map.groupBy(cases, ({ badChannel }) => badChannel)].flatMap(([id, served]) => {
    const [first] = served;
    if (first === undefined) return [];
    const { place } = first.fault;
    const models = Object.fromEntries(served.map(({ publicId, badModel }) => [publicId, badModel]));
    const timeouts = TIMEOUTS[place];
    const baseUrl = channelAddress(place, bad, broken);
    return channelOf({
      id,
      format: first.lane.bad,
      baseUrl,
      models,
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
