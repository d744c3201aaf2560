import type { Loss } from '../../../domain/exchange/loss.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import type { GenerationRequest } from '../../../domain/tasks/generation-request.ts';
import type { AskedWork } from '../../../domain/tasks/job.ts';
import type { Members } from '../../shared/media/image-request.ts';
import type { GeneratedKind } from '../../shared/tasks/made-files.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';

/** The members of a hosted model's input, and what they cannot carry. */
export interface HostedInput {
  readonly members: Members;
  readonly losses: readonly Loss[];
}

/** One kind of work at hosts of many vendors' models. The models differ in the names and values of their members: `Model` is a table. */
export interface HostedKind<Request extends GenerationRequest, Model> {
  readonly kind: GeneratedKind;
  /** The members of the wire that do not depend on the host. */
  readonly wire: Pick<TaskWire<Request>, 'operations' | 'takesUrls' | 'harmlessOptions' | 'pricedOptions'>;
  /** Implements `TaskWire.asks`. */
  asks(request: Request, model: Model): AskedWork;
  /** Returns the model's input; a failure (400) for something that changes the meaning and has no member. */
  input(request: Request, model: Model): HostedInput | Failure | Promise<HostedInput | Failure>;
}

/** Returns the file format that a client asks for, such as `glb`. */
export function wantedFormat(request: GenerationRequest): string | null {
  return request.kind === '3d' ? request.format : null;
}
