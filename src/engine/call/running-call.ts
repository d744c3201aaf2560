import type { Principal } from '../../domain/access/principal.ts';
import type { Directory } from '../directory/directory.ts';
import type { Target } from '../directory/target.ts';
import type { HeldBytes } from './answer-memory.ts';
import type { AnswerStream } from './lane.ts';
import type { Inbound, Job } from './operation.ts';
import type { Outcome } from './outcome.ts';

/** A call whose caller is authenticated and whose operation has found the targets that could answer. */
export interface Call<T extends Target, S extends AnswerStream> {
  readonly inbound: Inbound;
  readonly outcome: Outcome;
  readonly principal: Principal;
  readonly directory: Directory;
  readonly job: Job<T, S>;
}

export interface Routed<T extends Target, S extends AnswerStream> extends Call<T, S> {
  /** The targets that may be tried now, best first. */
  readonly targets: readonly T[];
  /** The memory that the answer holds. */
  readonly held: HeldBytes;
}
