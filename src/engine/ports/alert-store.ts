import type { AlertPlace, AlertRule } from '../../domain/alerts/alert-rule.ts';
import type { AlertState } from '../../domain/alerts/alert-state.ts';
import type { Origin } from '../../domain/catalog/model.ts';
import type { Audit } from './people-store.ts';

export const ALERT_TARGET_KINDS = ['webhook', 'mail'] as const;

/** Where alerts are sent. Its address (which may hold a credential) and its secrets are encrypted in the store. */
export interface AlertTarget extends AlertPlace {
  readonly kind: (typeof ALERT_TARGET_KINDS)[number];
  readonly name: string;
  readonly enabled: boolean;
  /** A URL, or a mail address. */
  readonly address: string;
  /** With which webhooks are signed (`whsec_…`); `null` for mail. */
  readonly secret: string | null;
  /** Webhooks are signed with this one, too, until then. */
  readonly previousSecret: { readonly secret: string; readonly untilMs: number } | null;
  /** Since when nothing was taken; `null` after a success. */
  readonly failingSinceMs: number | null;
  /** That the gateway has given it up. */
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

/** What was told. */
export interface AlertEvent {
  readonly id: string;
  /** Whose it is; `null`: the operators'. */
  readonly accountId: string | null;
  readonly type: AlertEventType;
  readonly ruleId: string | null;
  readonly atMs: number;
  /** JSON, as it is sent: each attempt sends the same bytes. */
  readonly body: string;
}

export interface StoredEvent extends AlertEvent {
  /** Ascending in the order of writing. */
  readonly sequence: number;
}

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One event for one target. */
export interface AlertDelivery {
  readonly id: string;
  readonly sequence: number;
  readonly accountId: string | null;
  readonly eventId: string;
  readonly eventType: AlertEventType;
  readonly targetId: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** `null` where there is no further attempt. */
  readonly nextAttemptAtMs: number | null;
  /** Of the last attempt; `null` where there was none, or no answer. */
  readonly lastStatus: number | null;
  /** A word of ours; never what the other side has said. */
  readonly lastError: string | null;
  readonly lastAttemptAtMs: number | null;
  readonly lastDurationMs: number | null;
  readonly createdAtMs: number;
}

/** What is to be sent now, by whoever has claimed it. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly claim: number;
  /** Those before this one. */
  readonly attempts: number;
  readonly event: AlertEvent;
  readonly target: AlertTarget;
}

export interface AttemptResult {
  readonly atMs: number;
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  /** For what failed: when it is tried again, `null` for never. */
  readonly retryAtMs: number | null;
  /** Gives the target up, with what still waits for it, and tells the owner's other targets. */
  readonly disable: { readonly reason: string; readonly notice: AlertEvent } | null;
}

/** A state with what tells it from an earlier one of the same rule and subject. */
export interface StoredAlertState extends AlertState {
  readonly rule: AlertPlace;
  /** `subjectKey`. */
  readonly subject: string;
  readonly version: number;
}

/** What is raised, with its rule. */
export interface RaisedAlert {
  readonly state: StoredAlertState;
  readonly rule: AlertRule;
}

/** Where in the list of what is raised something stands. */
export interface RaisedPlace {
  readonly rule: AlertPlace;
  readonly subject: string;
}

export interface RaisedPage {
  readonly accountId?: string | null;
  /** By owner, the operators first, rule and subject. */
  readonly after: RaisedPlace | null;
  readonly limit: number;
}

export interface AlertChange {
  readonly rule: AlertPlace;
  readonly subject: string;
  /** What the change was decided from: where it is another by now, nothing is done. */
  readonly before: StoredAlertState | null;
  readonly after: AlertState | null;
  readonly event: AlertEvent | null;
  /** Who is told, `null` for all targets of the owner. */
  readonly targets: readonly string[] | null;
}

/** An object before and after a change; `null` where there was none, or is none any more. */
export interface Changed<Thing> {
  readonly before: Thing | null;
  readonly after: Thing | null;
}

/**
 * Decides a change within its transaction, from the object as it is and how many others the owner has. What it throws undoes it. It may
 * be asked again, so it does nothing else.
 */
export type Change<Thing> = (before: Thing | null, others: number) => Thing | null;

export interface AlertPage {
  /** Of this owner (`null`: the operators); of all where it is left out. */
  readonly accountId?: string | null;
  readonly enabledOnly?: boolean;
  /** By owner, the operators first, and id. */
  readonly after: AlertPlace | null;
  readonly limit: number;
}

/** The newest first. */
interface NewestPage {
  readonly accountId?: string | null;
  /** The sequence of the last one of the page before. */
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
  /** Another node may claim them again after this time: who has claimed them has died. */
  readonly untilMs: number;
  readonly limit: number;
  /** How many of one owner; of one target it is one. */
  readonly perOwner: number;
  /** Targets that are being sent to, and owners that have enough. */
  readonly busyTargets: readonly AlertPlace[];
  readonly busyOwners: readonly (string | null)[];
}

export interface AlertFigures {
  readonly raised: number;
  readonly pendingDeliveries: number;
  /** When the oldest of them was made. */
  readonly oldestPendingAtMs: number | null;
  readonly disabledTargets: number;
}

/** Rules, targets, and the outbox of what is to be told. Durable when resolved. */
export interface AlertStore {
  rules(page: AlertPage): Promise<readonly AlertRule[]>;
  rule(place: AlertPlace): Promise<AlertRule | null>;
  /** Of a rule that is removed or switched off nothing is remembered. */
  changeRule(
    place: AlertPlace,
    change: Change<AlertRule>,
    audit?: Audit<Changed<AlertRule>>,
  ): Promise<Changed<AlertRule>>;
  targets(page: AlertPage): Promise<readonly AlertTarget[]>;
  target(place: AlertPlace): Promise<AlertTarget | null>;
  /** What waits for a target that is removed or switched off fails. */
  changeTarget(
    place: AlertPlace,
    change: Change<AlertTarget>,
    audit?: Audit<Changed<AlertTarget>>,
  ): Promise<Changed<AlertTarget>>;

  /** Of the rules from the first of these places on (`null`: from the beginning), it not included, up to the second. */
  states(after: AlertPlace | null, upTo: AlertPlace): Promise<readonly StoredAlertState[]>;
  /** What is raised now, and not only pending. */
  raised(page: RaisedPage): Promise<readonly RaisedAlert[]>;
  /** Each with its event and the deliveries of that, in one transaction; says of each whether it was done. */
  apply(changes: readonly AlertChange[]): Promise<readonly boolean[]>;
  /** Whether `holder` is the one that evaluates rules until then. */
  lead(holder: string, nowMs: number, untilMs: number): Promise<boolean>;
  /** Lets others evaluate at once. */
  stepDown(holder: string): Promise<void>;

  /** Takes deliveries that are due: of one target one, those that wait longest first. */
  claim(request: ClaimRequest): Promise<readonly ClaimedDelivery[]>;
  /** An event for one target, claimed at once; `null` where there is no such target. */
  begin(event: AlertEvent, target: AlertPlace, untilMs: number): Promise<ClaimedDelivery | null>;
  /** False, and nothing is written, where somebody else has claimed it meanwhile. */
  finish(delivery: Pick<ClaimedDelivery, 'id' | 'claim'>, result: AttemptResult): Promise<boolean>;
  /** Sends it once more, with all attempts; `null` where there is none, or its target is not in use. */
  redeliver(place: AlertPlace, nowMs: number, audit?: Audit<AlertDelivery | null>): Promise<AlertDelivery | null>;

  events(page: EventPage): Promise<readonly StoredEvent[]>;
  event(place: AlertPlace): Promise<StoredEvent | null>;
  deliveries(page: DeliveryPage): Promise<readonly AlertDelivery[]>;
  delivery(place: AlertPlace): Promise<AlertDelivery | null>;
  /** Removes events, with their deliveries, that are older, at most so many; resolves to how many. Those that still wait stay. */
  removeOld(beforeMs: number, limit: number): Promise<number>;
  figures(): Promise<AlertFigures>;
}
