import { z } from 'zod';
import type { AlertPlace, AlertRule } from '../../../domain/alerts/alert-rule.ts';
import {
  namedActiveAlerts,
  namedEvent,
  namedEventPage,
  namedRule,
  namedRulePage,
} from '../../../engine/admin/alerts/alert-names.ts';
import {
  alertDeliveryView,
  listActiveAlerts,
  listAlertDeliveries,
  listAlertEvents,
  redeliverAlert,
  showAlertDelivery,
  showAlertEvent,
  testAlertTarget,
} from '../../../engine/admin/alerts/alert-records.ts';
import {
  type AlertCall,
  alertRuleEtag,
  changeAlertRule,
  createAlertRule,
  deleteAlertRule,
  listAlertRules,
  showAlertRule,
} from '../../../engine/admin/alerts/alert-rules.ts';
import {
  alertTargetEtag,
  alertTargetView,
  changeAlertTarget,
  createAlertTarget,
  deleteAlertTarget,
  listAlertTargets,
  rotateTargetSecret,
  showAlertTarget,
  type TargetCall,
} from '../../../engine/admin/alerts/alert-targets.ts';
import { named, namedPage } from '../../../engine/admin/names.ts';
import type { PageRequest } from '../../../engine/admin/page.ts';
import { readQuotas } from '../../../engine/admin/quotas/limited-directory.ts';
import {
  alertRuleChangeSchema,
  alertRuleSchema,
  alertTargetChangeSchema,
  newAlertTargetSchema,
} from '../../../engine/admin/schema/alert.ts';
import type { AlertDeliverer } from '../../../engine/alerts/deliverer.ts';
import {
  ALERT_EVENT_TYPES,
  type AlertDelivery,
  type AlertTarget,
  DELIVERY_STATES,
} from '../../../engine/ports/alert-store.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { Logger } from '../../../engine/ports/logger.ts';
import type { Store } from '../../../engine/ports/store.ts';
import type { WebhookSender } from '../../../engine/ports/webhook-sender.ts';
import { listAnswer, listSchema, pageAnswer, same } from '../list.ts';
import { type ManagementCall, type ManagementRoute, type PageQuery, paramOf, route } from '../route.ts';
import { SHARED_READ, type SharedCall, sharedRead } from '../shared-reads.ts';
import {
  ACTIVE_ALERT,
  ALERT_DELIVERY,
  ALERT_EVENT,
  ALERT_RULE,
  ALERT_WEBHOOK,
  ALERT_WEBHOOK_WITH_SECRET,
} from './alert-answers.ts';

export interface AlertRoutesOptions {
  readonly store: Pick<Store, 'alerts' | 'people' | 'directory' | 'ledger' | 'usage' | 'health'>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly sender: Pick<WebhookSender, 'problemOf'>;
  readonly deliverer: Pick<AlertDeliverer, 'look' | 'test'>;
  readonly hasMailer: boolean;
  /** Called after a rule was created or changed. */
  readonly evaluateSoon: () => void;
  readonly newId: (prefix: string) => string;
}

const TAG = 'Alerts';
const READ = { who: 'account', role: 'viewer', scope: 'alerts:read', orAll: true } as const;
const WRITE = { who: 'account', role: 'owner', scope: 'alerts:write', orAll: true } as const;
const OPERATORS = 'If an operator omits `account_id`, it belongs to the operators.';

const OK = { summary: 'Alert when the balance is below 5 USD', value: { balance_below: { usd: '5' } } };
const ERRORS = {
  summary: 'Alert when 10% of the requests for a model fail',
  value: { name: 'Failing model', error_rate: { percent: 10, of: 'model', window_minutes: 5, minimum_requests: 20 } },
};
const HOOK = { summary: 'A webhook', value: { name: 'On call', url: 'https://hooks.example.com/alerts' } };

/** Returns `alerts`: rules, webhooks, events and deliveries. */
export function alertRoutes(options: AlertRoutesOptions): readonly ManagementRoute[] {
  return [
    activeRoute(options),
    ...ruleRoutes(options),
    ...webhookRoutes(options),
    ...webhookVerbs(options),
    ...eventRoutes(options),
    ...deliveryRoutes(options),
  ];
}

function activeRoute({ store, clock, logger }: AlertRoutesOptions): ManagementRoute {
  return route({
    ...{ method: 'get', path: '/alerts/active', operationId: 'listActiveAlerts', tag: TAG, isList: true },
    summary: 'List active alerts',
    description: `Alerts that are raised and not resolved, with their current values. Ordered by account, rule and subject; those of the operators’ rules come first. ${SHARED_READ}`,
    access: READ,
    answer: { description: 'A page of alerts', schema: listSchema(ACTIVE_ALERT) },
    handle: sharedRead(clock, async ({ accountId, query }: SharedCall<PageQuery>) => {
      const wanted = { accountId: accountId ?? undefined, ...query };
      const page = await listActiveAlerts({ ...store, logger }, clock.nowMs(), wanted);
      return pageAnswer(await namedActiveAlerts(store.directory, page), same).body;
    }),
  });
}

function ruleRoutes(options: AlertRoutesOptions): readonly ManagementRoute[] {
  const { alerts, directory } = options.store;
  const shown = async (rule: AlertRule) => ({ body: await namedRule(directory, rule), etag: alertRuleEtag(rule) });
  return [
    route({
      ...{ method: 'get', path: '/alerts/rules', operationId: 'listAlertRules', tag: TAG, isList: true },
      summary: 'List alert rules',
      description: 'Ordered by account and id, those of the operators first.',
      access: READ,
      answer: { description: 'A page of rules', schema: listSchema(ALERT_RULE) },
      handle: ({ accountId, query }) =>
        listAnswer(
          query,
          async (page) =>
            namedRulePage(directory, await listAlertRules(alerts, { accountId: accountId ?? undefined, ...page })),
          same,
        ),
    }),
    route({
      ...{ method: 'post', path: '/alerts/rules', operationId: 'createAlertRule', tag: TAG },
      summary: 'Create an alert rule',
      description: `A rule has exactly one condition. ${OPERATORS}`,
      access: WRITE,
      body: { schema: alertRuleSchema, examples: { balance: OK, errors: ERRORS } },
      answer: { status: 201, description: 'The rule', schema: ALERT_RULE },
      errors: ['already_exists', 'conflict'],
      handle: async (call) => {
        const rule = await createAlertRule(await limited(call, callOf(call, options)), call.accountId, call.input);
        options.evaluateSoon();
        return shown(rule);
      },
    }),
    route({
      ...{ method: 'get', path: '/alerts/rules/{id}', operationId: 'getAlertRule', tag: TAG },
      summary: 'Read an alert rule',
      access: READ,
      answer: { description: 'The rule', schema: ALERT_RULE },
      handle: async (call) => shown(await showAlertRule(alerts, placeOf(call))),
    }),
    route({
      ...{ method: 'patch', path: '/alerts/rules/{id}', operationId: 'updateAlertRule', tag: TAG },
      summary: 'Change an alert rule',
      description: 'Omitted members keep their values. A new condition replaces the existing one.',
      access: WRITE,
      body: { schema: alertRuleChangeSchema },
      answer: { description: 'The rule', schema: ALERT_RULE },
      errors: ['conflict'],
      handle: async (call) => {
        const rule = await changeAlertRule(callOf(call, options), placeOf(call), call.input);
        options.evaluateSoon();
        return shown(rule);
      },
    }),
    route({
      ...{ method: 'delete', path: '/alerts/rules/{id}', operationId: 'deleteAlertRule', tag: TAG },
      summary: 'Delete an alert rule',
      description: 'Its active alerts are deleted without a notification.',
      access: WRITE,
      answer: { status: 204, description: 'Deleted' },
      errors: ['conflict'],
      handle: async (call) => {
        await deleteAlertRule(callOf(call, options), placeOf(call));
        return {};
      },
    }),
  ];
}

function webhookRoutes(options: AlertRoutesOptions): readonly ManagementRoute[] {
  const { store, clock } = options;
  const { alerts, directory } = store;
  const view = (target: AlertTarget) => alertTargetView(target, clock.nowMs());
  const shown = async (target: AlertTarget) => ({
    body: await named(directory, view(target)),
    etag: alertTargetEtag(target),
  });
  return [
    route({
      ...{ method: 'get', path: '/alerts/webhooks', operationId: 'listAlertWebhooks', tag: TAG, isList: true },
      summary: 'List alert targets',
      description: 'Ordered by account and id, those of the operators first.',
      access: READ,
      answer: { description: 'A page of targets', schema: listSchema(ALERT_WEBHOOK) },
      handle: async ({ accountId, query }) => {
        const page = await listAlertTargets(alerts, { accountId: accountId ?? undefined, ...query });
        return pageAnswer(await namedPage(directory, page, view), same);
      },
    }),
    route({
      ...{ method: 'post', path: '/alerts/webhooks', operationId: 'createAlertWebhook', tag: TAG },
      summary: 'Create an alert target',
      description: `A target has either \`url\` or \`mail\`. The secret that signs webhooks is shown once. ${OPERATORS}`,
      access: WRITE,
      body: { schema: newAlertTargetSchema, examples: { webhook: HOOK } },
      answer: { status: 201, description: 'The target, with its secret', schema: ALERT_WEBHOOK_WITH_SECRET },
      errors: ['already_exists', 'conflict'],
      handle: async (call) => {
        const made = await createAlertTarget(
          await limited(call, targetCallOf(call, options)),
          call.accountId,
          call.input,
        );
        const { body, etag } = await shown(made);
        return { body: { ...body, secret: made.secret }, etag };
      },
    }),
    route({
      ...{ method: 'get', path: '/alerts/webhooks/{id}', operationId: 'getAlertWebhook', tag: TAG },
      summary: 'Read an alert target',
      access: READ,
      answer: { description: 'The target', schema: ALERT_WEBHOOK },
      handle: async (call) => shown(await showAlertTarget(alerts, placeOf(call))),
    }),
    route({
      ...{ method: 'patch', path: '/alerts/webhooks/{id}', operationId: 'updateAlertWebhook', tag: TAG },
      summary: 'Change an alert target',
      description: 'A change re-enables a target that the gateway has stopped sending to.',
      access: WRITE,
      body: { schema: alertTargetChangeSchema },
      answer: { description: 'The target', schema: ALERT_WEBHOOK },
      errors: ['conflict'],
      handle: async (call) => shown(await changeAlertTarget(targetCallOf(call, options), placeOf(call), call.input)),
    }),
    route({
      ...{ method: 'delete', path: '/alerts/webhooks/{id}', operationId: 'deleteAlertWebhook', tag: TAG },
      summary: 'Delete an alert target',
      description: 'Pending deliveries to it are discarded.',
      access: WRITE,
      answer: { status: 204, description: 'Deleted' },
      errors: ['conflict'],
      handle: async (call) => {
        await deleteAlertTarget(callOf(call, options), placeOf(call));
        return {};
      },
    }),
  ];
}

function webhookVerbs(options: AlertRoutesOptions): readonly ManagementRoute[] {
  const { store, clock, deliverer } = options;
  return [
    route({
      ...{ method: 'post', path: '/alerts/webhooks/{id}/rotate-secret', operationId: 'rotateAlertWebhook', tag: TAG },
      summary: 'Rotate the secret of a webhook',
      description:
        'The new secret is shown once. For a day, webhooks carry the signatures of both secrets, the new one first.',
      access: WRITE,
      answer: { description: 'The target, with its new secret', schema: ALERT_WEBHOOK_WITH_SECRET },
      errors: ['conflict'],
      handle: async (call) => {
        const made = await rotateTargetSecret(callOf(call, options), placeOf(call));
        const view = await named(store.directory, alertTargetView(made, clock.nowMs()));
        return { body: { ...view, secret: made.secret }, etag: alertTargetEtag(made) };
      },
    }),
    route({
      ...{ method: 'post', path: '/alerts/webhooks/{id}/test', operationId: 'testAlertWebhook', tag: TAG },
      summary: 'Send a test alert',
      description: 'Sent at once, without retries. The delivery has the outcome.',
      access: WRITE,
      answer: { description: 'The delivery', schema: ALERT_DELIVERY },
      handle: async (call) => {
        const delivery = await testAlertTarget(store.alerts, deliverer, placeOf(call));
        return { body: await named(store.directory, alertDeliveryView(delivery)) };
      },
    }),
  ];
}

function eventRoutes({ store }: AlertRoutesOptions): readonly ManagementRoute[] {
  const { alerts, directory } = store;
  return [
    route({
      ...{ method: 'get', path: '/alerts/events', operationId: 'listAlertEvents', tag: TAG, isList: true },
      summary: 'List alert events',
      description: 'The last 30 days, newest first.',
      access: READ,
      query: z.strictObject({
        type: z.enum(ALERT_EVENT_TYPES).optional(),
        rule: z.string().optional().meta({ description: 'The id of a rule.' }),
      }),
      answer: { description: 'A page of events', schema: listSchema(ALERT_EVENT) },
      handle: ({ accountId, query }) => {
        const { rule, type } = query;
        const filter = { ...ownerOf(accountId), ...(type && { type }), ...(rule !== undefined && { ruleId: rule }) };
        const read = async (page: PageRequest) =>
          namedEventPage(directory, await listAlertEvents(alerts, { ...page, ...filter }));
        return listAnswer(query, read, same);
      },
    }),
    route({
      ...{ method: 'get', path: '/alerts/events/{id}', operationId: 'getAlertEvent', tag: TAG },
      summary: 'Read an alert event',
      access: READ,
      answer: { description: 'The event as it was sent', schema: ALERT_EVENT },
      handle: async (call) => ({ body: await namedEvent(directory, await showAlertEvent(alerts, placeOf(call))) }),
    }),
  ];
}

function deliveryRoutes(options: AlertRoutesOptions): readonly ManagementRoute[] {
  const { store, deliverer } = options;
  const { alerts, directory } = store;
  const shown = async (delivery: AlertDelivery) => ({ body: await named(directory, alertDeliveryView(delivery)) });
  return [
    route({
      ...{ method: 'get', path: '/alerts/deliveries', operationId: 'listAlertDeliveries', tag: TAG, isList: true },
      summary: 'List deliveries',
      description: 'The last 30 days, newest first. Response bodies of the receivers are not stored.',
      access: READ,
      query: z.strictObject({
        state: z.enum(DELIVERY_STATES).optional(),
        webhook: z.string().optional().meta({ description: 'The id of an alert target.' }),
        event: z.string().optional().meta({ description: 'The id of an event.' }),
      }),
      answer: { description: 'A page of deliveries', schema: listSchema(ALERT_DELIVERY) },
      handle: async ({ accountId, query }) => {
        const { state, webhook, event, ...page } = query;
        const filter = {
          ...ownerOf(accountId),
          ...(state && { state }),
          ...(webhook !== undefined && { targetId: webhook }),
          ...(event !== undefined && { eventId: event }),
        };
        const found = await listAlertDeliveries(alerts, { ...page, ...filter });
        return pageAnswer(await namedPage(directory, found, alertDeliveryView), same);
      },
    }),
    route({
      ...{ method: 'get', path: '/alerts/deliveries/{id}', operationId: 'getAlertDelivery', tag: TAG },
      summary: 'Read a delivery',
      access: READ,
      answer: { description: 'The delivery', schema: ALERT_DELIVERY },
      handle: async (call) => shown(await showAlertDelivery(alerts, placeOf(call))),
    }),
    route({
      ...{ method: 'post', path: '/alerts/deliveries/{id}/redeliver', operationId: 'redeliverAlert', tag: TAG },
      summary: 'Redeliver an event',
      description: 'Sends the event again under the same id, with the usual retries.',
      access: WRITE,
      answer: { description: 'The delivery', schema: ALERT_DELIVERY },
      errors: ['conflict'],
      handle: async (call) => {
        const delivery = await redeliverAlert(callOf(call, options), placeOf(call));
        void deliverer.look();
        return shown(delivery);
      },
    }),
  ];
}

/** Returns the place of the object that the path names. An operator who names no account means the operators' own. */
function placeOf(call: ManagementCall): AlertPlace {
  return { accountId: call.accountId, id: paramOf(call, 'id') };
}

/** Returns the filter by owner; in lists, an operator who names no account means all. */
function ownerOf(accountId: string | null) {
  return accountId === null ? {} : { accountId };
}

function callOf({ origin, ifMatch }: ManagementCall, { store, clock, newId }: AlertRoutesOptions) {
  return { alerts: store.alerts, clock, newId, origin, ifMatch, quotas: null };
}

/** Adds quotas to a call that creates an object. */
async function limited<Call extends AlertCall>(
  { directory, quotas, accountId }: ManagementCall,
  call: Call,
): Promise<Call> {
  return { ...call, quotas: await readQuotas(directory, quotas, accountId) };
}

function targetCallOf(call: ManagementCall, options: AlertRoutesOptions): TargetCall {
  const { sender, hasMailer, store } = options;
  const isOperator = call.requester?.isOperator ?? false;
  return { ...callOf(call, options), sender, hasMailer, people: store.people, isOperator };
}
