import type { ClientFormat, InboundCall } from '../../../formats/format.ts';
import type { Inbound } from '../../call/operation.ts';
import type { ConnectionMemory } from './connection-memory.ts';

/** A request for a text as a transport brings it. */
export interface TextInbound extends Inbound {
  /** The client's own; its envelope, too. */
  readonly format: ClientFormat;
  readonly call: InboundCall;
  /** What is kept for the connection that it came on, where one lasts longer than a request. */
  readonly connection?: ConnectionMemory;
}
