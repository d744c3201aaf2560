import type { Loss } from '../../domain/exchange/loss.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { ExaminedRule } from '../../domain/routing/choose-model.ts';
import type { BreakerState } from '../../domain/routing/circuit-breaker.ts';
import type { ModelStep } from '../../domain/routing/model-step.ts';
import type { Strategy } from '../../domain/routing/order.ts';
import type { EstimatedReservation } from '../billing/account-billing.ts';
import type { Target } from '../directory/target.ts';

/** The rules of one virtual model on the way of a request. */
export interface ExaminedModel {
  readonly modelId: string;
  readonly rules: readonly ExaminedRule[];
}

/** How one channel would get a request, and why it stands where it stands. */
export interface ExplainedTarget {
  readonly target: Target;
  /** The rank among the channels that would be asked, from 1; `null` if it would not be asked. */
  readonly position: number | null;
  /** Sentences in lower case: what decided the position, or why it would not be asked. */
  readonly reasons: readonly string[];
  readonly isRelayed: boolean | null;
  readonly losses: readonly Loss[];
  /** Why the channel could not carry the request; `null` if it can, or if that was not examined. */
  readonly problem: Failure | null;
  readonly state: BreakerState | 'blocked';
  /** Milliseconds until it admits a request of this account; `null` if it does now, or only after an operator's action. */
  readonly availableInMs: number | null;
  /** The requests that run and wait at a channel with limits; `null` if it has none. */
  readonly load: { readonly running: number; readonly waiting: number } | null;
  /** The rank by affinity; `null` if the request prefers no channel. */
  readonly affinity: number | null;
  /** The value that the strategy compares: USD times 1e9, milliseconds or requests; `null` if it compares none, or it is unknown. */
  readonly score: number | null;
}

/** The outcome that routing would have for a request, and the reasons. */
export interface Explanation {
  readonly requestedModel: string | null;
  /** The model that would be asked; `null` if the request would be refused before. */
  readonly modelId: string | null;
  readonly format: string;
  readonly stream: boolean;
  readonly examined: readonly ExaminedModel[];
  readonly steps: readonly ModelStep[];
  /** The models that would be asked if the channels of the model fail. */
  readonly fallbacks: readonly string[];
  /** Why the request would be refused; `null` if it would be sent. */
  readonly failure: Failure | null;
  readonly strategy: { readonly name: Strategy; readonly from: 'account' | 'model' | 'default' } | null;
  /** Those that would be asked first, in their order. */
  readonly targets: readonly ExplainedTarget[];
  /** The amount that would be reserved; `null` if the request is free, or refused. */
  readonly reservation: EstimatedReservation | null;
}
