import type { GenerationRequest } from '../../../domain/tasks/generation-request.ts';
import type { TaskWire } from '../../../formats/shared/tasks/wire.ts';
import type { Asking, Inbound, OpenCall } from '../../call/operation.ts';
import type { Target } from '../../directory/target.ts';
import type { TaskViewer } from '../../tasks/task-view.ts';

/** The differences of a request at an endpoint with its own shape of answers. */
export interface Reply<Request extends GenerationRequest> {
  /** Writes the task as the response; as in the contract if absent. */
  readonly view?: TaskViewer;
  /** The task whose result the request changes. */
  readonly remixedFrom?: string;
  /** Adapts the wire of a target to the request. */
  adapt?(wire: TaskWire<Request>, target: Target): TaskWire<Request>;
}

/** Continues a request that another endpoint has read. */
export interface GenerationAsker<Request extends GenerationRequest> {
  asking(request: Request, inbound: Inbound, call: OpenCall, reply: Reply<Request>): Asking;
}
