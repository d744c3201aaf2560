import type { ChannelProbe, CreateChannelRequest } from '../../api/schema.ts';

/** A channel before its models are chosen. */
export interface ProbedChannel extends Omit<CreateChannelRequest, 'models' | 'id'> {
  readonly name: string;
}

/** The tested channel and the result. */
export interface Tested {
  readonly channel: ProbedChannel;
  readonly probe: ChannelProbe;
}
