import { type Gateway, startGatewayWith } from '../shared/gateway.ts';
import { channelOf, type TargetFormat } from './targets.ts';

/** A gateway with a channel for each target; it may fetch media from this machine. */
export function startRequestGateway(targets: readonly TargetFormat[], upstreamOrigin: string): Promise<Gateway> {
  const channels = targets.map((target) => channelOf(target, upstreamOrigin));
  return startGatewayWith(channels, { media: { allow_http: true, allowed_ranges: ['127.0.0.0/8'] } });
}
