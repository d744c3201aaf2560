import type { Failure } from '../../../domain/failure/failure.ts';
import { FakeClock } from '../../admin/testing/fake-clock.ts';
import { fakeCache } from '../../cache/testing/fake-cache.ts';
import { Captures } from '../../captures/captures.ts';
import type { AskedTarget } from '../../directory/target.ts';
import type { TextPorts } from '../../operations/text/text-services.ts';
import type { Sealing } from '../../ports/conversation-state.ts';
import type { Logger } from '../../ports/logger.ts';
import type { FinishedAttempt } from '../../ports/metrics.ts';
import type { RequestRecord } from '../../ports/request-log.ts';
import { DEFAULT_RESPONSE_QUOTA } from '../../ports/response-store.ts';
import { sampleAccount, sampleCredential } from '../../ports/testing/samples.ts';
import { DEFAULT_ROUTING, LARGEST_MEMORY_BOUNDS } from '../../settings/settings.ts';
import type { CallPorts } from '../call.ts';
import { EndUsers } from '../end-users.ts';
import { ResponseMemory } from '../response-memory.ts';
import { TagValues } from '../tag-values.ts';
import { FakeConversationState } from './fake-conversation-state.ts';
import { FakeMediaStore } from './fake-media-store.ts';
import { FakeBilling, FakeLimits } from './fake-money.ts';
import { FakeObjectOrigins } from './fake-object-origins.ts';
import { FakeResponses } from './fake-responses.ts';
import { FakeUpstream } from './fake-upstream.ts';
import { channelOf, directoryOf } from './sample-routes.ts';

interface LogLine extends Readonly<Record<string, unknown>> {
  readonly level: keyof Logger;
  readonly message: string;
}

/** Seals without encryption. */
const SEALING: Sealing = {
  seal: (accountId, text) => Buffer.from(JSON.stringify([accountId, text])).toString('base64'),
  open(accountId, sealed) {
    const [owner, text]: string[] = JSON.parse(Buffer.from(sealed, 'base64').toString());
    return owner === accountId && text !== undefined ? text : null;
  },
};

export interface AllPorts extends CallPorts, TextPorts {}

/** Makes fakes of every port that a call and its operations use. They record their calls. */
export function fakePorts(overrides: Partial<AllPorts> = {}) {
  /** The recorded events, in order. */
  const steps: string[] = [];
  const clock = new FakeClock();
  const upstream = new FakeUpstream(steps);
  const limits = new FakeLimits(steps);
  const billing = new FakeBilling(steps);
  const told = recorders(steps);
  const responses = new FakeResponses(clock);
  const objects = new FakeObjectOrigins();
  const principal = { account: sampleAccount(), credential: sampleCredential() };
  const directory = directoryOf([channelOf('chat-a', 'chatting')]);
  const waits: number[] = [];
  const noMedia = () => Promise.reject(new Error('no media'));
  let ids = 0;
  const ports: AllPorts = {
    guardChecks: { of: () => [], problemOf: () => null },
    ...{ clock, upstream, limits, billing, responses, objects, ...told.ports },
    sleep: async (ms) => {
      waits.push(ms);
      clock.advance(ms);
    },
    random: () => 0,
    routing: DEFAULT_ROUTING,
    directory: () => directory,
    principals: { find: () => principal },
    media: { maxUrls: 0, open: () => ({ fetch: noMedia, open: noMedia, release: () => {} }) },
    mediaStore: new FakeMediaStore(),
    responseQuota: DEFAULT_RESPONSE_QUOTA,
    conversationState: new FakeConversationState(),
    sealing: SEALING,
    cache: fakeCache(clock).cache,
    answers: new ResponseMemory({ maxHeldBytes: LARGEST_MEMORY_BOUNDS.maxHeldAnswerBytes }),
    pings: { intervalMs: 0 },
    tagValues: new TagValues(),
    endUsers: new EndUsers('plain', new Uint8Array(32)),
    captures: new Captures({ store: { add: async () => {} }, logger: told.ports.logger }),
    keyUsed: () => steps.push('key used'),
    wrongKeys: { refused: (_caller, failure) => failure },
    newRequestId: () => 'req_1',
    newId: (prefix) => `${prefix}${++ids}`,
    ...overrides,
  };
  return { ...told.known, ports, steps, clock, upstream, limits, billing, responses, objects, principal, waits };
}

function recorders(steps: string[]) {
  const known = {
    records: [] as RequestRecord[],
    attempts: [] as FinishedAttempt[],
    lines: [] as LogLine[],
    suspected: [] as { readonly channelId: string; readonly failure: Failure }[],
    probed: [] as string[],
    /** The number of requests that were started but have not finished. */
    open: { count: 0 },
  };
  const line = (level: keyof Logger) => (fields: Readonly<Record<string, unknown>>, message: string) =>
    void known.lines.push({ ...fields, level, message });
  const ports = {
    log: {
      append: (record: RequestRecord) => {
        steps.push('record');
        known.records.push(record);
      },
      flush: async () => {},
      recent: async () => known.records,
    },
    logger: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
    metrics: {
      requestStarted: () => void known.open.count++,
      requestFinished: () => void known.open.count--,
      requestHandedOver: () => void known.open.count--,
      attemptFinished: (attempt: FinishedAttempt) => void known.attempts.push(attempt),
      keyRefused: () => {},
      chargeHeld: () => {},
    },
    suspectChannel: ({ channel }: AskedTarget, failure: Failure) =>
      void known.suspected.push({ channelId: channel.id, failure }),
    probeChannel: ({ channel }: AskedTarget) => void known.probed.push(channel.id),
  };
  return { known, ports };
}
