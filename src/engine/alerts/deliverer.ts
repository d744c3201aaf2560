import type { AlertPlace } from '../../domain/alerts/alert-rule.ts';
import { DISABLE_AFTER_MS, retryDelayMs } from '../../domain/alerts/delivery-schedule.ts';
import type { AttemptResult, ClaimedDelivery } from '../ports/alert-store.ts';
import { MailLimitError } from '../ports/mailer.ts';
import { targetDisabledEvent, testEvent } from './alert-event.ts';
import type { DelivererPorts } from './alert-ports.ts';
import { webhookHeaders } from './sign-webhook.ts';

/** Limits for one process. */
const MOST_AT_ONCE = 32;
const MOST_OF_OWNER = 4;
/** Longer than an attempt may take, so an older claim belongs to a process that has died. */
export const CLAIM_MS = 60_000;
/** The status with which a receiver says that the address is gone for good. */
const GONE = 410;

interface Outcome {
  readonly status: number | null;
  readonly error: string | null;
}

/** Sends deliveries that are due; several processes share the work. */
export class AlertDeliverer {
  private readonly running = new Map<string, { readonly target: AlertPlace; readonly ended: Promise<unknown> }>();
  private readonly abort = new AbortController();
  private looking: Promise<void> | null = null;

  constructor(private readonly ports: DelivererPorts) {}

  /** Starts deliveries that are due. Call it every few seconds, and after events were added. */
  look(): Promise<void> {
    this.looking ??= this.takeUp().finally(() => {
      this.looking = null;
    });
    return this.looking;
  }

  /** Sends a test event at once, without retries. Resolves to `null` if the target does not exist. */
  async test(place: AlertPlace): Promise<ClaimedDelivery | null> {
    const { alerts, clock, newId } = this.ports;
    const target = await alerts.target(place);
    if (target === null) return null;
    const nowMs = clock.nowMs();
    const event = testEvent({ id: newId('evt_'), atMs: nowMs }, target);
    const delivery = await alerts.begin(event, place, nowMs + CLAIM_MS);
    if (delivery === null) return null;
    const result = await this.attempt(delivery);
    await alerts.finish(delivery, { ...result, retryAtMs: null, disable: null });
    return delivery;
  }

  /** Aborts the deliveries in progress; other processes, or the next start, send them again. */
  async stop(): Promise<void> {
    this.abort.abort();
    await this.looking;
    await Promise.all([...this.running.values()].map(({ ended }) => ended));
  }

  private async takeUp(): Promise<void> {
    try {
      for (let isMore = true; isMore && !this.abort.signal.aborted; ) isMore = await this.claimSome();
    } catch (error) {
      this.ports.logger.warn({ error: messageOf(error) }, 'pending alerts could not be read');
    }
  }

  /** Resolves to whether more deliveries may be due now. */
  private async claimSome(): Promise<boolean> {
    const limit = MOST_AT_ONCE - this.running.size;
    if (limit <= 0) return false;
    const nowMs = this.ports.clock.nowMs();
    const targets = [...this.running.values()].map(({ target }) => target);
    const perOwner = new Map<string | null, number>();
    for (const { accountId } of targets) perOwner.set(accountId, (perOwner.get(accountId) ?? 0) + 1);
    const claimed = await this.ports.alerts.claim({
      nowMs,
      untilMs: nowMs + CLAIM_MS,
      limit,
      perOwner: MOST_OF_OWNER,
      busyTargets: targets,
      busyOwners: [...perOwner].flatMap(([owner, count]) => (count >= MOST_OF_OWNER ? [owner] : [])),
    });
    for (const delivery of claimed) this.start(delivery);
    return claimed.length > 0;
  }

  private start(delivery: ClaimedDelivery): void {
    const { accountId, id } = delivery.target;
    const ended = this.deliver(delivery).then((isDone) => {
      this.running.delete(delivery.id);
      // The target's next delivery need not wait for the timer.
      if (isDone && !this.abort.signal.aborted) void this.look();
    });
    this.running.set(delivery.id, { target: { accountId, id }, ended });
  }

  private async deliver(delivery: ClaimedDelivery): Promise<boolean> {
    const { alerts, logger, metrics } = this.ports;
    try {
      const result = await this.attempt(delivery);
      if (this.abort.signal.aborted && result.error !== null) return false;
      if (!(await alerts.finish(delivery, result))) return true;
      const outcome = result.error === null ? 'delivered' : result.retryAtMs === null ? 'failed' : 'retried';
      metrics.attempted(delivery.target.kind, outcome);
      if (result.disable !== null) {
        const { accountId, id } = delivery.target;
        logger.warn({ accountId, targetId: id, reason: result.disable.reason }, 'an alert target was disabled');
      }
      return true;
    } catch (error) {
      // The delivery is claimed again when its claim expires.
      logger.warn({ deliveryId: delivery.id, error: messageOf(error) }, 'an alert could not be sent');
      return false;
    }
  }

  private async attempt(delivery: ClaimedDelivery): Promise<AttemptResult> {
    const { clock, random, newId } = this.ports;
    const startedAtMs = clock.monotonicMs();
    const { status, error } = await this.send(delivery);
    const atMs = clock.nowMs();
    const result = { atMs, durationMs: Math.round(clock.monotonicMs() - startedAtMs), status, error };
    if (error === null) return { ...result, retryAtMs: null, disable: null };
    const { target, attempts } = delivery;
    const reason = this.reasonToGiveUp(delivery, status, atMs);
    if (reason !== null) {
      const notice = targetDisabledEvent({ id: newId('evt_'), atMs }, target, reason);
      return { ...result, retryAtMs: null, disable: { reason, notice } };
    }
    const delayMs = retryDelayMs(attempts + 1, random());
    return { ...result, retryAtMs: delayMs === null ? null : atMs + delayMs, disable: null };
  }

  private reasonToGiveUp({ target }: ClaimedDelivery, status: number | null, nowMs: number): string | null {
    if (status === GONE) return 'it returned HTTP 410 (Gone)';
    const sinceMs = target.failingSinceMs ?? nowMs;
    if (nowMs - sinceMs < DISABLE_AFTER_MS) return null;
    return `no delivery has succeeded since ${new Date(sinceMs).toISOString()}`;
  }

  private async send({ event, target }: ClaimedDelivery): Promise<Outcome> {
    if (target.kind === 'mail') return await this.mail(target, event.body);
    const headers = webhookHeaders(target, event, this.ports.clock.nowMs());
    const { signal } = this.abort;
    const answer = await this.ports.sender.send({ url: target.address, headers, body: event.body, signal });
    if ('problem' in answer) return { status: null, error: answer.problem };
    const { status } = answer;
    if (status >= 200 && status < 300) return { status, error: null };
    return { status, error: status >= 300 && status < 400 ? 'redirect' : `http_${status}` };
  }

  private async mail({ accountId, address }: ClaimedDelivery['target'], body: string): Promise<Outcome> {
    const { mailer, serviceName } = this.ports;
    if (mailer === null) return { status: null, error: 'no_mail_server' };
    const event = JSON.parse(body) as { readonly message: string; readonly created_at: string; readonly id: string };
    try {
      const text = `${event.message}\n\nAt ${event.created_at}. Event ${event.id}.\n`;
      const reserved = await mailer.reserve(address, accountId === null ? 'operators' : { accountId });
      await reserved.send({ subject: `[${await serviceName()}] ${event.message}`, text });
      return { status: null, error: null };
    } catch (error) {
      return { status: null, error: error instanceof MailLimitError ? 'mail_limit' : 'mail_refused' };
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
