import type { AlertPlace, AlertRule } from '../../domain/alerts/alert-rule.ts';
import type { AlertState } from '../../domain/alerts/alert-state.ts';
import type { Origin } from '../../domain/catalog/model.ts';
import type { Audit } from './people-store.ts';

export const ALERT_TARGET_KINDS = ['webhook', 'mail'] as const;

/** A destination for alerts. Its address (which may contain a credential) and its secrets are encrypted in the store. */
export interface AlertTarget extends AlertPlace {
  readonly kind: (typeof ALERT_TARGET_KINDS)[number];
  readonly name: string;
  readonly enabled: boolean;
  /** A URL or an email address. */
  readonly address: string;
  /** The secret that signs webhooks (`whsec_…`); `null` for email. */
  readonly secret: string | null;
  /** A rotated secret that also signs webhooks until `untilMs`. */
  readonly previousSecret: { readonly secret: string; readonly untilMs: number } | null;
  /** When deliveries began to fail; `null` after a success. */
  readonly failingSinceMs: number | null;
  /** When and why the gateway disabled the target. */
  readonly disabled: { readonly atMs: number; readonly reason: string } | null;
  readonly origin: Origin;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export const ALERT_EVENT_TYPES = [
  'alert.raised',
  'alert.repeated',
  'alert.resolved',
  'alert.test',
  'alert.target_disabled',
] as const;
export type AlertEventType = (typeof ALERT_EVENT_TYPES)[number];

/** A notification. */
export interface AlertEvent {
  readonly id: string;
  /** The owner; `null` for the operators. */
  readonly accountId: string | null;
  readonly type: AlertEventType;
  readonly ruleId: string | null;
  readonly atMs: number;
  /** The JSON payload. Every attempt sends the same bytes. */
  readonly body: string;
}

export interface StoredEvent extends AlertEvent {
  /** Ascends in write order. */
  readonly sequence: number;
}

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The delivery of one event to one target. */
export interface AlertDelivery {
  readonly id: string;
  readonly sequence: number;
  readonly accountId: string | null;
  readonly eventId: string;
  readonly eventType: AlertEventType;
  readonly targetId: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** `null` if no further attempt is planned. */
  readonly nextAttemptAtMs: number | null;
  /** The HTTP status of the last attempt; `null` if there was no attempt or no response. */
  readonly lastStatus: number | null;
  /** One of the gateway's own error codes, never text from the target. */
  readonly lastError: string | null;
  readonly lastAttemptAtMs: number | null;
  readonly lastDurationMs: number | null;
  readonly createdAtMs: number;
}

/** A due delivery that the caller has claimed and must send. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly claim: number;
  /** The number of earlier attempts. */
  readonly attempts: number;
  readonly event: AlertEvent;
  readonly target: AlertTarget;
}

export interface AttemptResult {
  readonly atMs: number;
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  /** When a failed delivery is retried; `null` for never. */
  readonly retryAtMs: number | null;
  /** Disables the target, fails its pending deliveries and sends `notice` to the owner's other targets. */
  readonly disable: { readonly reason: string; readonly notice: AlertEvent } | null;
}

/** A state with the version that distinguishes it from earlier states of the same rule and subject. */
export interface StoredAlertState extends AlertState {
  readonly rule: AlertPlace;
  /** The result of `subjectKey`. */
  readonly subject: string;
  readonly version: number;
}

/** A raised alert with its rule. */
export interface RaisedAlert {
  readonly state: StoredAlertState;
  readonly rule: AlertRule;
}

/** The position of an alert in the list of raised alerts. */
export interface RaisedPlace {
  readonly rule: AlertPlace;
  readonly subject: string;
}

export interface RaisedPage {
  readonly accountId?: string | null;
  /** The last alert of the previous page. Pages are sorted by owner (operators first), rule and subject. */
  readonly after: RaisedPlace | null;
  readonly limit: number;
}

export interface AlertChange {
  readonly rule: AlertPlace;
  readonly subject: string;
  /** The state that the change was computed from. If the stored state differs by now, the change is skipped. */
  readonly before: StoredAlertState | null;
  readonly after: AlertState | null;
  readonly event: AlertEvent | null;
  /** The ids of the targets to notify; `null` for all of the owner's targets. */
  readonly targets: readonly string[] | null;
}

/** An object before and after a change; `null` on the side on which it does not exist. */
export interface Changed<Thing> {
  readonly before: Thing | null;
  readonly after: Thing | null;
}

/**
 * Computes a change within its transaction from the current object and the number of the owner's other objects. An exception rolls the
 * transaction back. It may be called again, so it must have no side effects.
 */
export type Change<Thing> = (before: Thing | null, others: number) => Thing | null;

export interface AlertPage {
  /** The owner, `null` for the operators. Omitted for all owners. */
  readonly accountId?: string | null;
  readonly enabledOnly?: boolean;
  /** The last object of the previous page. Pages are sorted by owner (operators first) and id. */
  readonly after: AlertPlace | null;
  readonly limit: number;
}

/** A page sorted from newest to oldest. */
interface NewestPage {
  readonly accountId?: string | null;
  /** The sequence of the last row of the previous page. */
  readonly after: number | null;
  readonly limit: number;
}

export interface EventPage extends NewestPage {
  readonly type?: AlertEventType;
  readonly ruleId?: string;
}

export interface DeliveryPage extends NewestPage {
  readonly state?: DeliveryState;
  readonly targetId?: string;
  readonly eventId?: string;
}

export interface ClaimRequest {
  readonly nowMs: number;
  /** When the claim expires. Another node may claim the deliveries after that, since the claiming one must have died. */
  readonly untilMs: number;
  readonly limit: number;
  /** The most deliveries per owner. A target has at most one at a time. */
  readonly perOwner: number;
  /** Targets with a delivery in flight, and owners that have reached their limit. */
  readonly busyTargets: readonly AlertPlace[];
  readonly busyOwners: readonly (string | null)[];
}

export interface AlertFigures {
  readonly raised: number;
  readonly pendingDeliveries: number;
  /** When the oldest pending delivery was created. */
  readonly oldestPendingAtMs: number | null;
  readonly disabledTargets: number;
}

/** Alert rules, targets and the outbox of notifications. Changes are durable when their promise resolves. */
export interface AlertStore {
  rules(page: AlertPage): Promise<readonly AlertRule[]>;
  rule(place: AlertPlace): Promise<AlertRule | null>;
  /** Creates, changes or removes a rule. Removing or disabling one deletes its states. */
  changeRule(
    place: AlertPlace,
    change: Change<AlertRule>,
    audit?: Audit<Changed<AlertRule>>,
  ): Promise<Changed<AlertRule>>;
  targets(page: AlertPage): Promise<readonly AlertTarget[]>;
  target(place: AlertPlace): Promise<AlertTarget | null>;
  /** Creates, changes or removes a target. Pending deliveries to a target that is removed or disabled fail. */
  changeTarget(
    place: AlertPlace,
    change: Change<AlertTarget>,
    audit?: Audit<Changed<AlertTarget>>,
  ): Promise<Changed<AlertTarget>>;

  /** Resolves to the states of the rules after `after` (`null`: from the beginning), up to and including `upTo`. */
  states(after: AlertPlace | null, upTo: AlertPlace): Promise<readonly StoredAlertState[]>;
  /** Resolves to raised alerts, without those that are only pending. */
  raised(page: RaisedPage): Promise<readonly RaisedAlert[]>;
  /** Applies all changes, with their events and deliveries, in one transaction. Resolves to whether each was applied. */
  apply(changes: readonly AlertChange[]): Promise<readonly boolean[]>;
  /** Resolves to whether `holder` is the node that evaluates rules until `untilMs`. */
  lead(holder: string, nowMs: number, untilMs: number): Promise<boolean>;
  /** Gives up leadership, so that another node can evaluate at once. */
  stepDown(holder: string): Promise<void>;

  /** Claims due deliveries, at most one per target, the longest waiting first. */
  claim(request: ClaimRequest): Promise<readonly ClaimedDelivery[]>;
  /** Adds an event for one target and claims its delivery; `null` if there is no such target. */
  begin(event: AlertEvent, target: AlertPlace, untilMs: number): Promise<ClaimedDelivery | null>;
  /** Stores the result of an attempt. Resolves to `false`, without writing, if the delivery has been claimed again since. */
  finish(delivery: Pick<ClaimedDelivery, 'id' | 'claim'>, result: AttemptResult): Promise<boolean>;
  /** Schedules the delivery again with a full set of attempts; `null` if it does not exist or its target is not in use. */
  redeliver(place: AlertPlace, nowMs: number, audit?: Audit<AlertDelivery | null>): Promise<AlertDelivery | null>;

  events(page: EventPage): Promise<readonly StoredEvent[]>;
  event(place: AlertPlace): Promise<StoredEvent | null>;
  deliveries(page: DeliveryPage): Promise<readonly AlertDelivery[]>;
  delivery(place: AlertPlace): Promise<AlertDelivery | null>;
  /**
   * Removes at most `limit` events older than `beforeMs`, with their deliveries. Keeps events with pending deliveries. Resolves to the
   * number removed.
   */
  removeOld(beforeMs: number, limit: number): Promise<number>;
  figures(): Promise<AlertFigures>;
}
