import { type Gateway, type GatewayOptions, startGateway } from './gateway.ts';
import { type Replay, type ReplayOptions, startReplay } from './replay.ts';

/** An upstream that replays recordings, and a gateway with a single channel to it. */
export interface TestBed {
  readonly replay: Replay;
  readonly gateway: Gateway;
  readonly stop: () => Promise<void>;
}

export async function startTestBed(
  options: Omit<GatewayOptions, 'upstreamBaseUrl'> & { readonly replay?: ReplayOptions },
): Promise<TestBed> {
  const { replay: replayOptions, ...gatewayOptions } = options;
  const replay = await startReplay(replayOptions);
  try {
    const gateway = await startGateway({ ...gatewayOptions, upstreamBaseUrl: replay.baseUrl });
    const stop = async () => {
      await gateway.stop();
      await replay.stop();
    };
    return { replay, gateway, stop };
  } catch (error) {
    await replay.stop();
    throw error;
  }
}
