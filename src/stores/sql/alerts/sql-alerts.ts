import type { AlertPlace, AlertRule } from '../../../domain/alerts/alert-rule.ts';
import type {
  AlertChange,
  AlertDelivery,
  AlertEvent,
  AlertPage,
  AlertStore,
  AlertTarget,
  AttemptResult,
  Change,
  Changed,
  ClaimedDelivery,
  ClaimRequest,
  DeliveryPage,
  EventPage,
  RaisedPage,
} from '../../../engine/ports/alert-store.ts';
import type { Audit } from '../../../engine/ports/people-store.ts';
import type { SecretBox } from '../../shared/secret-box.ts';
import type { ProgramRunner } from '../program.ts';
import * as deliveries from './delivery-programs.ts';
import * as objects from './object-programs.ts';
import * as states from './state-programs.ts';

/** The alert store for both databases. */
export class SqlAlerts implements AlertStore {
  private readonly dialect;

  constructor(
    private readonly runner: ProgramRunner,
    private readonly box: SecretBox,
  ) {
    this.dialect = runner.dialect;
  }

  rules(page: AlertPage) {
    return this.runner.read(() => objects.listRules(this.dialect, page));
  }

  rule(place: AlertPlace) {
    return this.runner.read(() => objects.findRule(this.dialect, place));
  }

  changeRule(place: AlertPlace, change: Change<AlertRule>, audit?: Audit<Changed<AlertRule>>) {
    return this.runner.write(() => objects.changeRule(this.dialect, place, change), audit);
  }

  targets(page: AlertPage) {
    return this.runner.read(() => objects.listTargets(this.dialect, page, this.box));
  }

  target(place: AlertPlace) {
    return this.runner.read(() => objects.findTarget(this.dialect, place, this.box));
  }

  changeTarget(place: AlertPlace, change: Change<AlertTarget>, audit?: Audit<Changed<AlertTarget>>) {
    return this.runner.write(() => objects.changeTarget(this.dialect, place, change, this.box), audit);
  }

  states(after: AlertPlace | null, upTo: AlertPlace) {
    return this.runner.read(() => states.listStates(this.dialect, after, upTo));
  }

  raised(page: RaisedPage) {
    return this.runner.read(() => states.listRaised(this.dialect, page));
  }

  apply(changes: readonly AlertChange[]) {
    return this.runner.write(() => states.applyChanges(this.dialect, changes));
  }

  lead(holder: string, nowMs: number, untilMs: number) {
    return this.runner.write(() => states.lead(this.dialect, holder, nowMs, untilMs));
  }

  stepDown(holder: string) {
    return this.runner.write(() => states.stepDown(this.dialect, holder));
  }

  claim(request: ClaimRequest) {
    return this.runner.write(() => deliveries.claim(this.dialect, request, this.box));
  }

  begin(event: AlertEvent, target: AlertPlace, untilMs: number) {
    return this.runner.write(() => deliveries.begin(this.dialect, event, target, untilMs, this.box));
  }

  finish(delivery: Pick<ClaimedDelivery, 'id' | 'claim'>, result: AttemptResult) {
    return this.runner.write(() => deliveries.finish(this.dialect, delivery, result));
  }

  redeliver(place: AlertPlace, nowMs: number, audit?: Audit<AlertDelivery | null>) {
    return this.runner.write(() => deliveries.redeliver(this.dialect, place, nowMs), audit);
  }

  events(page: EventPage) {
    return this.runner.read(() => deliveries.listEvents(this.dialect, page));
  }

  event(place: AlertPlace) {
    return this.runner.read(() => deliveries.findEvent(this.dialect, place));
  }

  deliveries(page: DeliveryPage) {
    return this.runner.read(() => deliveries.listDeliveries(this.dialect, page));
  }

  delivery(place: AlertPlace) {
    return this.runner.read(() => deliveries.findDelivery(this.dialect, place));
  }

  removeOld(beforeMs: number, limit: number) {
    return this.runner.write(() => deliveries.removeOld(this.dialect, beforeMs, limit));
  }

  figures() {
    return this.runner.read(() => deliveries.figures(this.dialect));
  }
}
