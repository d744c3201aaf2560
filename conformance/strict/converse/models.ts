import { describe } from 'bun:test';
import { channelTo, type StrictBed, strictBed } from '../bed.ts';
import { testClients } from '../shared/test-clients.ts';
import { bedrockConverse } from './index.ts';

/** Starts a gateway with a channel to every model of Converse that rules know. */
export function converseBed(): StrictBed {
  return strictBed([bedrockConverse], (server, upstream) => ({
    ...channelTo(server, upstream, (_, model) => model),
    formats: [upstream.wire],
  }));
}

/** Describes what these models accept from every client format. */
export function describeConverseModels(bed: StrictBed, models: readonly string[]): void {
  describe.each(models)('%s', (model) => {
    testClients(bed, model);
  });
}
