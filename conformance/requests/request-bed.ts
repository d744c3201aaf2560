import type { Gateway } from '../shared/gateway.ts';
import { startRequestGateway } from './gateway.ts';
import { type LocalMedia, startLocalMedia } from './local-media.ts';
import { type RecordingUpstream, startRecordingUpstream } from './recording-upstream.ts';
import { TARGET_FORMATS, type TargetFormat } from './targets.ts';

export interface RequestBed {
  readonly upstream: RecordingUpstream;
  readonly media: LocalMedia;
  readonly gateway: Gateway;
  readonly stop: () => Promise<void>;
}

export async function startRequestBed(targets: readonly TargetFormat[] = TARGET_FORMATS): Promise<RequestBed> {
  const upstream = startRecordingUpstream();
  const media = startLocalMedia();
  const stopServers = async () => void (await Promise.all([upstream.stop(), media.stop()]));
  try {
    const gateway = await startRequestGateway(targets, upstream.origin);
    const stop = async () => {
      await gateway.stop();
      await stopServers();
    };
    return { upstream, media, gateway, stop };
  } catch (error) {
    await stopServers();
    throw error;
  }
}
