import type { InboundCall } from '../../../formats/text/client-request.ts';
import type { ClientFormat } from '../../../formats/text/format.ts';
import type { Inbound } from '../../call/operation.ts';
import type { ConnectionMemory } from './connection-memory.ts';

/** A text request as the transport passes it on. */
export interface TextInbound extends Inbound {
  /** The client's format, which is also its envelope. */
  readonly format: ClientFormat;
  readonly call: InboundCall;
  /** The responses kept for its connection, if the connection outlasts the request. */
  readonly connection?: ConnectionMemory;
}
