import type { AlertRule } from '../../../domain/alerts/alert-rule.ts';
import { namedRule, namedRulePage } from '../../../engine/admin/alerts/alert-names.ts';
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
import { readQuotas } from '../../../engine/admin/quotas/limited-directory.ts';
import {
  alertRuleChangeSchema,
  alertRuleSchema,
  alertTargetChangeSchema,
  newAlertTargetSchema,
} from '../../../engine/admin/schema/alert.ts';
import type { AlertTarget } from '../../../engine/ports/alert-store.ts';
import { listAnswer, listSchema, pageAnswer, same } from '../list.ts';
import { type ManagementCall, type ManagementRoute, route } from '../route.ts';
import {
  ALERT_RULE,
  ALERT_WEBHOOK,
  ALERT_WEBHOOK_CHANGED,
  ALERT_WEBHOOK_CREATED,
  ALERT_WEBHOOK_WITH_SECRET,
} from './alert-answers.ts';
import { ALERTS_TAG, type AlertRoutesOptions, callOf, placeOf, READ_ALERTS, WRITE_ALERTS } from './alert-calls.ts';
import { alertRecordRoutes } from './alert-records.ts';

const ADDRESS =
  'A URL in a private network is refused. A host name without a public address is stored with a `warning`, since it may get one later.';
const OPERATORS = 'If an operator omits `account_id`, it belongs to the operators.';

const OK = { summary: 'Alert when the balance is below 5 USD', value: { balance_below: { usd: '5' } } };
const ERRORS = {
  summary: 'Alert when 10% of the requests for a model fail',
  value: { name: 'Failing model', error_rate: { percent: 10, of: 'model', window_minutes: 5, minimum_requests: 20 } },
};
const HOOK = { summary: 'A webhook', value: { name: 'On call', url: 'https://hooks.example.com/alerts' } };

/** Returns `alerts`: rules, webhooks, events and deliveries. */
export function alertRoutes(options: AlertRoutesOptions): readonly ManagementRoute[] {
  return [...ruleRoutes(options), ...webhookRoutes(options), ...webhookChanges(options), ...alertRecordRoutes(options)];
}

function ruleRoutes(options: AlertRoutesOptions): readonly ManagementRoute[] {
  const { alerts, directory } = options.store;
  const shown = async (rule: AlertRule) => ({ body: await namedRule(directory, rule), etag: alertRuleEtag(rule) });
  return [
    route({
      ...{ method: 'get', path: '/alerts/rules', operationId: 'listAlertRules', tag: ALERTS_TAG, isList: true },
      summary: 'List alert rules',
      description: 'Ordered by account and id, those of the operators first.',
      access: READ_ALERTS,
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
      ...{ method: 'post', path: '/alerts/rules', operationId: 'createAlertRule', tag: ALERTS_TAG },
      summary: 'Create an alert rule',
      description: `A rule has exactly one condition. ${OPERATORS}`,
      access: WRITE_ALERTS,
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
      ...{ method: 'get', path: '/alerts/rules/{id}', operationId: 'getAlertRule', tag: ALERTS_TAG },
      summary: 'Read an alert rule',
      access: READ_ALERTS,
      answer: { description: 'The rule', schema: ALERT_RULE },
      handle: async (call) => shown(await showAlertRule(alerts, placeOf(call))),
    }),
    route({
      ...{ method: 'patch', path: '/alerts/rules/{id}', operationId: 'updateAlertRule', tag: ALERTS_TAG },
      summary: 'Change an alert rule',
      description: 'Omitted members keep their values. A new condition replaces the existing one.',
      access: WRITE_ALERTS,
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
      ...{ method: 'delete', path: '/alerts/rules/{id}', operationId: 'deleteAlertRule', tag: ALERTS_TAG },
      summary: 'Delete an alert rule',
      description: 'Its active alerts are deleted without a notification.',
      access: WRITE_ALERTS,
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
  const { alerts } = store;
  const view = (target: AlertTarget) => alertTargetView(target, clock.nowMs());
  const shown = shownBy(options);
  return [
    route({
      ...{ method: 'get', path: '/alerts/webhooks', operationId: 'listAlertWebhooks', tag: ALERTS_TAG, isList: true },
      summary: 'List alert targets',
      description: 'Ordered by account and id, those of the operators first.',
      access: READ_ALERTS,
      answer: { description: 'A page of targets', schema: listSchema(ALERT_WEBHOOK) },
      handle: async ({ accountId, query }) => {
        const page = await listAlertTargets(alerts, { accountId: accountId ?? undefined, ...query });
        return pageAnswer(await namedPage(store.directory, page, view), same);
      },
    }),
    route({
      ...{ method: 'get', path: '/alerts/webhooks/{id}', operationId: 'getAlertWebhook', tag: ALERTS_TAG },
      summary: 'Read an alert target',
      access: READ_ALERTS,
      answer: { description: 'The target', schema: ALERT_WEBHOOK },
      handle: async (call) => shown(await showAlertTarget(alerts, placeOf(call))),
    }),
    route({
      ...{ method: 'delete', path: '/alerts/webhooks/{id}', operationId: 'deleteAlertWebhook', tag: ALERTS_TAG },
      summary: 'Delete an alert target',
      description: 'Pending deliveries to it are discarded.',
      access: WRITE_ALERTS,
      answer: { status: 204, description: 'Deleted' },
      errors: ['conflict'],
      handle: async (call) => {
        await deleteAlertTarget(callOf(call, options), placeOf(call));
        return {};
      },
    }),
  ];
}

/** Creation, changes and new secrets, whose answers have more than the target. */
function webhookChanges(options: AlertRoutesOptions): readonly ManagementRoute[] {
  const shown = shownBy(options);
  return [
    route({
      ...{ method: 'post', path: '/alerts/webhooks', operationId: 'createAlertWebhook', tag: ALERTS_TAG },
      summary: 'Create an alert target',
      description: `A target has either \`url\` or \`mail\`. The secret that signs webhooks is shown once. ${ADDRESS} ${OPERATORS}`,
      access: WRITE_ALERTS,
      body: { schema: newAlertTargetSchema, examples: { webhook: HOOK } },
      answer: { status: 201, description: 'The target, with its secret', schema: ALERT_WEBHOOK_CREATED },
      errors: ['already_exists', 'conflict'],
      handle: async (call) => {
        const { target, warning } = await createAlertTarget(
          await limited(call, targetCallOf(call, options)),
          call.accountId,
          call.input,
        );
        const { body, etag } = await shown(target);
        return { body: { ...body, secret: target.secret, warning }, etag };
      },
    }),
    route({
      ...{ method: 'patch', path: '/alerts/webhooks/{id}', operationId: 'updateAlertWebhook', tag: ALERTS_TAG },
      summary: 'Change an alert target',
      description: `A change re-enables a target that the gateway has stopped sending to. ${ADDRESS}`,
      access: WRITE_ALERTS,
      body: { schema: alertTargetChangeSchema },
      answer: { description: 'The target', schema: ALERT_WEBHOOK_CHANGED },
      errors: ['conflict'],
      handle: async (call) => {
        const { target, warning } = await changeAlertTarget(targetCallOf(call, options), placeOf(call), call.input);
        const { body, etag } = await shown(target);
        return { body: { ...body, warning }, etag };
      },
    }),
    route({
      ...{
        method: 'post',
        path: '/alerts/webhooks/{id}/rotate-secret',
        operationId: 'rotateAlertWebhook',
        tag: ALERTS_TAG,
      },
      summary: 'Rotate the secret of a webhook',
      description:
        'The new secret is shown once. For a day, webhooks carry the signatures of both secrets, the new one first.',
      access: WRITE_ALERTS,
      answer: { description: 'The target, with its new secret', schema: ALERT_WEBHOOK_WITH_SECRET },
      errors: ['conflict'],
      handle: async (call) => {
        const made = await rotateTargetSecret(callOf(call, options), placeOf(call));
        const { body, etag } = await shown(made);
        return { body: { ...body, secret: made.secret }, etag };
      },
    }),
  ];
}

/** Returns a function that answers with a target. */
function shownBy({ store, clock }: AlertRoutesOptions) {
  return async (target: AlertTarget) => ({
    body: await named(store.directory, alertTargetView(target, clock.nowMs())),
    etag: alertTargetEtag(target),
  });
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
