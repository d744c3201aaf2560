import type { RecordingRow } from '../shared/recordings.ts';
import { startTestBed, type TestBed } from '../shared/test-bed.ts';
import { byProvider, type ChatCase, chatCases, modelMap } from './chat-case.ts';
import type { Targets } from './check-case.ts';

export interface ConformanceRun {
  readonly providers: ReadonlyMap<string, readonly ChatCase[]>;
  readonly targets: Targets;
  readonly bed: TestBed;
}

/** Starts the upstream and a gateway with one public model for each chat. */
export function startChatBed(cases: readonly ChatCase[]): Promise<TestBed> {
  const folders = [...new Set(cases.map(({ recording }) => recording.folder))];
  return startTestBed({ models: modelMap(cases), replay: { split: 'random', folders } });
}

/** Starts the upstream and the gateway for the chats among the exchanges. */
export async function startConformanceRun(exchanges: readonly RecordingRow[]): Promise<ConformanceRun> {
  const cases = chatCases(exchanges);
  const bed = await startChatBed(cases);
  const targets: Targets = {
    direct: { kind: 'direct', baseUrl: bed.replay.baseUrl, apiKey: 'upstream-key' },
    gateway: { kind: 'gateway', baseUrl: bed.gateway.baseUrl, apiKey: bed.gateway.apiKey },
  };
  return { providers: byProvider(cases), targets, bed };
}
