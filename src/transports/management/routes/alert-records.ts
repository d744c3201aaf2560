import { z } from 'zod';
import { namedActiveAlerts, namedEvent, namedEventPage } from '../../../engine/admin/alerts/alert-names.ts';
import {
  listActiveAlerts,
  listAlertDeliveries,
  listAlertEvents,
  redeliverAlert,
  showAlertDelivery,
  showAlertEvent,
  testAlertTarget,
} from '../../../engine/admin/alerts/alert-records.ts';
import { namedDeliveries } from '../../../engine/admin/alerts/target-names.ts';
import type { PageRequest } from '../../../engine/admin/page.ts';
import { ALERT_EVENT_TYPES, type AlertDelivery, DELIVERY_STATES } from '../../../engine/ports/alert-store.ts';
import { listAnswer, listSchema, pageAnswer, same } from '../list.ts';
import { type ManagementRoute, type PageQuery, route } from '../route.ts';
import { SHARED_READ, type SharedCall, sharedRead } from '../shared-reads.ts';
import { ACTIVE_ALERT, ALERT_DELIVERY, ALERT_EVENT } from './alert-answers.ts';
import { ALERTS_TAG, type AlertRoutesOptions, callOf, placeOf, READ_ALERTS, WRITE_ALERTS } from './alert-calls.ts';

/** Returns the routes of what happened: active alerts, events and deliveries. */
export function alertRecordRoutes(options: AlertRoutesOptions): readonly ManagementRoute[] {
  return [activeRoute(options), ...eventRoutes(options), ...deliveryRoutes(options)];
}

function activeRoute({ store, clock, logger }: AlertRoutesOptions): ManagementRoute {
  return route({
    ...{ method: 'get', path: '/alerts/active', operationId: 'listActiveAlerts', tag: ALERTS_TAG, isList: true },
    summary: 'List active alerts',
    description: `Alerts that are raised and not resolved, with their current values. Ordered by account, rule and subject; those of the operators’ rules come first. ${SHARED_READ}`,
    access: READ_ALERTS,
    answer: { description: 'A page of alerts', schema: listSchema(ACTIVE_ALERT) },
    handle: sharedRead(clock, async ({ accountId, query }: SharedCall<PageQuery>) => {
      const wanted = { accountId: accountId ?? undefined, ...query };
      const page = await listActiveAlerts({ ...store, logger }, clock.nowMs(), wanted);
      return pageAnswer(await namedActiveAlerts(store.directory, page), same).body;
    }),
  });
}

function eventRoutes({ store }: AlertRoutesOptions): readonly ManagementRoute[] {
  const { alerts } = store;
  return [
    route({
      ...{ method: 'get', path: '/alerts/events', operationId: 'listAlertEvents', tag: ALERTS_TAG, isList: true },
      summary: 'List alert events',
      description: 'The last 30 days, newest first.',
      access: READ_ALERTS,
      query: z.strictObject({
        type: z.enum(ALERT_EVENT_TYPES).optional(),
        rule: z.string().optional().meta({ description: 'The id of a rule.' }),
      }),
      answer: { description: 'A page of events', schema: listSchema(ALERT_EVENT) },
      handle: ({ accountId, query }) => {
        const { rule, type } = query;
        const filter = { ...ownerOf(accountId), ...(type && { type }), ...(rule !== undefined && { ruleId: rule }) };
        const read = async (page: PageRequest) =>
          namedEventPage(store.directory, await listAlertEvents(alerts, { ...page, ...filter }));
        return listAnswer(query, read, same);
      },
    }),
    route({
      ...{ method: 'get', path: '/alerts/events/{id}', operationId: 'getAlertEvent', tag: ALERTS_TAG },
      summary: 'Read an alert event',
      access: READ_ALERTS,
      answer: { description: 'The event as it was sent', schema: ALERT_EVENT },
      handle: async (call) => {
        const event = await showAlertEvent(alerts, placeOf(call));
        return { body: await namedEvent(store.directory, event) };
      },
    }),
  ];
}

function deliveryRoutes(options: AlertRoutesOptions): readonly ManagementRoute[] {
  const { store, deliverer } = options;
  const { alerts } = store;
  return [
    route({
      ...{
        method: 'get',
        path: '/alerts/deliveries',
        operationId: 'listAlertDeliveries',
        tag: ALERTS_TAG,
        isList: true,
      },
      summary: 'List deliveries',
      description: 'The last 30 days, newest first. Response bodies of the receivers are not stored.',
      access: READ_ALERTS,
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
        return pageAnswer(await namedDeliveries(store, found), same);
      },
    }),
    route({
      ...{ method: 'get', path: '/alerts/deliveries/{id}', operationId: 'getAlertDelivery', tag: ALERTS_TAG },
      summary: 'Read a delivery',
      access: READ_ALERTS,
      answer: { description: 'The delivery', schema: ALERT_DELIVERY },
      handle: async (call) => ({ body: await shownDelivery(store, await showAlertDelivery(alerts, placeOf(call))) }),
    }),
    route({
      ...{ method: 'post', path: '/alerts/webhooks/{id}/test', operationId: 'testAlertWebhook', tag: ALERTS_TAG },
      summary: 'Send a test alert',
      description: 'Sent at once, without retries. The delivery has the outcome.',
      access: WRITE_ALERTS,
      answer: { description: 'The delivery', schema: ALERT_DELIVERY },
      handle: async (call) => ({
        body: await shownDelivery(store, await testAlertTarget(alerts, deliverer, placeOf(call))),
      }),
    }),
    route({
      ...{ method: 'post', path: '/alerts/deliveries/{id}/redeliver', operationId: 'redeliverAlert', tag: ALERTS_TAG },
      summary: 'Redeliver an event',
      description: 'Sends the event again under the same id, with the usual retries.',
      access: WRITE_ALERTS,
      answer: { description: 'The delivery', schema: ALERT_DELIVERY },
      errors: ['conflict'],
      handle: async (call) => {
        const delivery = await redeliverAlert(callOf(call, options), placeOf(call));
        void deliverer.look();
        return { body: await shownDelivery(store, delivery) };
      },
    }),
  ];
}

async function shownDelivery(store: AlertRoutesOptions['store'], delivery: AlertDelivery) {
  const { items } = await namedDeliveries(store, { items: [delivery], next: null });
  const [shown] = items;
  if (shown === undefined) throw new Error('The page has lost its delivery.');
  return shown;
}

/** Returns the filter by owner; in lists, an operator who names no account means all. */
function ownerOf(accountId: string | null) {
  return accountId === null ? {} : { accountId };
}
