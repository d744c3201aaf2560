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
  /** Sends a request of a client below `/v1`. */
  post(path: string, body: object): Promise<Answer>;
  stop(): Promise<void>;
}

/** A model that the upstream has under `upstreamModel`, at a channel of this provider. */
export interface RecordedModel {
  readonly id: string;
  readonly provider: string;
  readonly upstreamModel: string;
}

/** A gateway with a channel for each model, all of which lead to an upstream that answers as `answer` does. */
export async function startRecordedBed(
  category: string,
  models: readonly RecordedModel[],
  answer: Answering,
): Promise<RecordedBed> {
  const upstream: FakeUpstream = startUpstream(answer);
  const space = await Workspace.create();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    // Equal requests are to reach the upstream each time.
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
