import type { WebhookRule } from '../../domain/guards/guard.ts';
import type { BreakerSettings } from '../../domain/routing/breaker-settings.ts';
import { SharedBreaker } from '../../domain/routing/shared-breaker.ts';
import type { Clock } from '../ports/clock.ts';
import type { WebhookAnswer, WebhookProblem } from '../ports/webhook-sender.ts';

/** A webhook that does not answer is asked again after one second at first, and after half a minute at most. */
const BREAKER: BreakerSettings = {
  ...{ windowMs: 30_000, failureRate: 0.5, minimumRequests: 5, cooldownMs: 1_000, maxCooldownMs: 30_000, probes: 3 },
};
/** More webhooks than guards can name at a time, with those of guards that have changed. */
const MOST_GATES = 400;

/** Bounds concurrent work, with a share for each account; `Slots` implements it. */
export interface SlotQueue {
  /**
   * Resolves to a function that releases the slot, or to `null` at once if too many wait. Rejects with the signal's reason if that fires
   * first.
   */
  acquire(accountId: string, signal: AbortSignal): Promise<(() => void) | null>;
}

export interface WebhookGatePorts {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly newSlots: () => SlotQueue;
}

interface GatedCall {
  readonly accountId: string;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** Aborted at the end of the time that the check may take, with its wait. */
  readonly within: AbortSignal;
}

/** `unavailable`: the webhook has not answered lately, and is not asked now. `busy`: too many requests ask it at the same time. */
export type GateProblem = WebhookProblem | 'unavailable' | 'busy';

/**
 * Bounds what one webhook gets from this process, and does not ask one that has stopped answering, so that no request waits for it in vain.
 * The failures of one account alone close the webhook for that account only, because its content may be what causes them. A request that has
 * waited for its slot for longer than for the answer says nothing about the webhook.
 */
export class WebhookGate {
  private readonly breaker = new SharedBreaker(BREAKER);
  private readonly slots: SlotQueue;

  constructor(private readonly ports: WebhookGatePorts) {
    this.breaker.isShared = true;
    this.slots = ports.newSlots();
  }

  /** Calls `send` when there is a slot. Never rejects, if `send` never does. */
  async ask(
    { accountId, signal, within }: GatedCall,
    send: () => Promise<WebhookAnswer>,
  ): Promise<WebhookAnswer | { readonly problem: GateProblem }> {
    if (!this.breaker.admits(accountId, this.nowMs)) return { problem: 'unavailable' };
    const both = AbortSignal.any([signal, within]);
    const askedMs = this.nowMs;
    const slot = await this.slots.acquire(accountId, both).catch(() => null);
    if (slot === null) return { problem: signal.aborted ? 'stopped' : 'busy' };
    const beganMs = this.nowMs;
    const passage = this.breaker.begin(accountId, beganMs);
    if (passage === null) {
      slot();
      return { problem: 'unavailable' };
    }
    try {
      const answer = await send();
      if (!('problem' in answer)) passage.succeeded(this.nowMs, false);
      else if (signal.aborted) passage.abandoned(false);
      else if (within.aborted && beganMs - askedMs > this.nowMs - beganMs) passage.abandoned(false);
      else passage.failed(this.nowMs, false);
      return answer;
    } finally {
      slot();
    }
  }

  private get nowMs(): number {
    return this.ports.clock.monotonicMs();
  }
}

/**
 * The gates by address and deadline. Guards change, and several may ask the same webhook; one whose deadline is too short for it must not close
 * it for those that wait longer.
 */
export class WebhookGates {
  private readonly gates = new Map<string, WebhookGate>();

  constructor(private readonly ports: WebhookGatePorts) {}

  of({ url, timeoutMs }: Pick<WebhookRule, 'url' | 'timeoutMs'>): WebhookGate {
    const key = `${timeoutMs} ${url}`;
    const known = this.gates.get(key);
    if (known !== undefined) return known;
    const made = new WebhookGate(this.ports);
    this.gates.set(key, made);
    for (const oldest of this.gates.keys()) {
      if (this.gates.size <= MOST_GATES) break;
      this.gates.delete(oldest);
    }
    return made;
  }
}
