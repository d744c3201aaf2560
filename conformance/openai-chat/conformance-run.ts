import { startTestBed, type TestBed } from '../shared/test-bed.ts';
import { byProvider, type ChatCase, chatCases, modelMap } from './chat-case.ts';
import type { Targets } from './check-case.ts';

export interface ConformanceRun {
  readonly providers: ReadonlyMap<string, readonly ChatCase[]>;
  readonly targets: Targets;
  readonly bed: TestBed;
}

/** Starts the upstream and the gateway with one public model for each recording. */
export async function startConformanceRun(): Promise<ConformanceRun> {
  const cases = chatCases();
  const bed = await startTestBed({ models: modelMap(cases), replay: { split: 'random' } });
  const targets: Targets = {
    direct: { kind: 'direct', baseUrl: bed.replay.baseUrl, apiKey: 'upstream-key' },
    gateway: { kind: 'gateway', baseUrl: bed.gateway.baseUrl, apiKey: bed.gateway.apiKey },
  };
  return { providers: byProvider(cases), targets, bed };
}
