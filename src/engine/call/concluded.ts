import type { Failure } from '../../domain/failure/failure.ts';
import type { Target } from '../directory/target.ts';
import type { LoopResult } from './attempt-loop.ts';
import type { ResponseStream } from './lane.ts';
import type { NoResponse } from './no-channel.ts';
import type { KnownResponse } from './operation.ts';

/** The answer of a call before it is sent: from an upstream, or known without one. Otherwise the failure for the client. */
export type Concluded<T extends Target, S extends ResponseStream> = LoopResult<T, S> | KnownResponse<T, S> | Failure;

/** The same, before it is decided what the client gets if no target has answered. */
export type Attempted<T extends Target, S extends ResponseStream> = Concluded<T, S> | NoResponse;
