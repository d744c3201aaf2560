import {
  type Answering,
  accountWith,
  channelTo,
  clientKey,
  type FakeUpstream,
  keyNamed,
  startUpstream,
} from '../../conformance/first-light/upstream.ts';
import { type Answer, answerOf } from '../../conformance/shared/answer.ts';
import { Workspace } from '../../conformance/shared/workspace.ts';

export interface RecordedBed {
  /** Sends a client request to a path below `/v1`. */
  post(path: string, body: object): Promise<Answer>;
  stop(): Promise<void>;
}

/** A model, its upstream name, and the provider of its channel. */
export interface RecordedModel {
  readonly id: string;
  readonly provider: string;
  readonly upstreamModel: string;
}

/** Starts a gateway with one channel per model, all of which lead to an upstream that responds with `answer`. */
export async function startRecordedBed(
  category: string,
  models: readonly RecordedModel[],
  answer: Answering,
): Promise<RecordedBed> {
  const upstream: FakeUpstream = startUpstream(answer);
  const space = await Workspace.create();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    // Equal requests must reach the upstream each time.
    cache: { strategy: 'off' },
    channels: models.map(({ id, provider, upstreamModel }, index) =>
      channelTo(upstream, { id: `channel-${index}`, provider, models: { [id]: upstreamModel } }),
    ),
    models: models.map(({ id }) => ({ id, category, pricing: 'free' })),
    accounts: [accountWith('acme', [keyNamed('acme')])],
  });
  const serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
  const headers = { authorization: `Bearer ${clientKey('acme')}`, 'content-type': 'application/json' };
  return {
    post: async (path, body) =>
      answerOf(await fetch(serving.baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) })),
    stop: async () => {
      await space.remove();
      await upstream.stop();
    },
  };
}
