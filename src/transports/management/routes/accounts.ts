import { z } from 'zod';
import { BILLING_MODES, CAPTURE_MODES, ROLES } from '../../../domain/access/account.ts';
import { STRATEGIES } from '../../../domain/routing/order.ts';
import { accountFigures, figuresView, MOST_COUNTED } from '../../../engine/admin/accounts/account-figures.ts';
import { refuseBudgetModel } from '../../../engine/admin/accounts/budget-model.ts';
import {
  archiveAccount,
  changeAccount,
  createAccount,
  restoreAccount,
} from '../../../engine/admin/accounts/change-accounts.ts';
import { endAccountRaise, raiseAccountBudget, raiseSchema } from '../../../engine/admin/accounts/raise-budget.ts';
import {
  ACCOUNT_SORTS,
  accountView,
  existingAccount,
  type ListedAccount,
  listAccounts,
  showAccount,
  sortedAccounts,
} from '../../../engine/admin/accounts/read-accounts.ts';
import { accountState, etagOf } from '../../../engine/admin/audit/object-states.ts';
import { refusePowers } from '../../../engine/admin/keys/change-keys.ts';
import { newAccountSchema } from '../../../engine/admin/schema/account.ts';
import { checkInput } from '../../../engine/admin/schema/check-input.ts';
import { field, text as textOf } from '../../../engine/admin/schema/unchecked.ts';
import { MOST_RANKED } from '../../../engine/admin/usage/recent-spans.ts';
import type { Directory } from '../../../engine/directory/directory.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { listSchema, pageAnswer, SORT_ORDER } from '../list.ts';
import { flag } from '../read-query.ts';
import { accountOf, type ManagementCall, type ManagementRoute, paramOf, route } from '../route.ts';
import { BILLING_DETAILS } from './billing-details.ts';
import { BUDGET, BUDGET_RAISE, RAISE_TEXT } from './budgets.ts';
import { tokenInUse } from './credential-answers.ts';

export interface AccountRoutesOptions {
  readonly store: Pick<Store, 'directory' | 'ledger' | 'people' | 'usage' | 'lists'>;
  readonly clock: Clock;
  /** The directory in force; without it, the models of budgets are not checked. */
  readonly directory?: () => Directory;
}

const STATES = ['active', 'archived'] as const;

const ACCOUNT = z
  .looseObject({
    object: z.literal('account'),
    id: z.string(),
    name: z.string(),
    role: z.enum(ROLES).meta({ description: 'Determines the default rate limit.' }),
    admin: z.boolean().meta({ description: 'Whether its management tokens have the rights of an operator.' }),
    billing: z.enum(BILLING_MODES),
    requests_per_minute: z.number().nullable().meta({ description: '`null`: the default of the role.' }),
    tokens_per_minute: z.number().nullable(),
    max_concurrent: z.number().nullable(),
    budget: BUDGET.nullable(),
    budget_raise: BUDGET_RAISE,
    strategy: z.enum(STRATEGIES).nullable(),
    fallbacks: z.array(z.string()).meta({
      description:
        'The models that are asked if the model of a request cannot answer. A request’s own list replaces it.',
    }),
    guards: z.array(z.string()).meta({ description: 'The ids of the guards that apply to all requests.' }),
    cache: z.record(z.string(), z.unknown()).nullable().meta({
      description: 'Members of the settings’ section `cache` that it overrides. `null`: none.',
    }),
    capture: z.enum(CAPTURE_MODES).meta({
      description:
        '`full`: request and response bodies are stored for `retention.captures_days`. Only operators can change it.',
    }),
    capture_days: z.number().nullable().meta({
      description:
        'The days for which its captures are kept, if fewer than `retention.captures_days`. `null`: as that says.',
    }),
    quotas: z.record(z.string(), z.number()).nullable().meta({
      description: 'Limits on its number of objects that override those of the settings’ section `quotas`.',
    }),
    billing_details: BILLING_DETAILS.nullable().meta({ description: 'What its statements print about it.' }),
    balance_usd: z.string(),
    held_usd: z
      .string()
      .meta({ description: 'The part of the balance that is reserved for requests or leased by gateways.' }),
    free_usd: z.string(),
    state: z.enum(STATES),
    managed_by: z
      .enum(['file', 'environment', 'api'])
      .meta({ description: 'Where it is defined. Only `api` can be changed here.' }),
    created_at: z.string(),
    archived_at: z.string().nullable(),
  })
  .meta({ id: 'Account' });

const LISTED = ACCOUNT.extend({
  keys: z
    .number()
    .optional()
    .meta({ description: `The number that are not revoked, at most ${MOST_COUNTED}.` }),
  members: z.number().optional(),
  last_active_at: z.string().nullable().optional().meta({ description: 'When one of its keys was last used.' }),
  spent_30d_usd: z.string().optional().meta({ description: 'The charges of the last 30 days.' }),
  upstream_cost_30d_usd: z.string().nullable().optional().meta({
    description:
      'What providers charged for its requests in the last 30 days, at the `costs` of channels. `null` if the cost of a request is unknown.',
  }),
  margin_30d_usd: z.string().nullable().optional().meta({
    description: '`spent_30d_usd` minus `upstream_cost_30d_usd`. `null` if the cost of a request is unknown.',
  }),
  uncosted_requests_30d: z.number().optional().meta({ description: 'The number of requests whose cost is unknown.' }),
}).meta({ id: 'ListedAccount' });

const LIST_QUERY = z.strictObject({
  q: z.string().min(1).max(200).optional().meta({ description: 'Only accounts whose id or name contains this text.' }),
  role: z.enum(ROLES).optional(),
  billing: z.enum(BILLING_MODES).optional(),
  state: z.enum(STATES).optional(),
  sort: z
    .enum(ACCOUNT_SORTS)
    .optional()
    .meta({
      description: `The default is by id. \`spent_30d\` ranks the ${MOST_RANKED} accounts that spent most; the others follow by id.`,
    }),
  order: SORT_ORDER,
  figures: flag(
    'Adds each account’s number of keys and members, its last activity, and its charges, upstream cost and margin of the last 30 days.',
  ),
});

const { id: _id, balance_usd: _balance, ...CHANGEABLE } = newAccountSchema.shape;
/** The members of the account that an owner may change; the rest is reserved for operators. */
const OWN_CHANGES = z.strictObject({ name: CHANGEABLE.name, billing_details: CHANGEABLE.billing_details });

const viewAt = (nowMs: number) => (listed: ListedAccount) => ({
  object: 'account' as const,
  ...accountView(listed, nowMs),
});

/** Returns `account` (the one in question) and `accounts` (all of them). */
export function accountRoutes(options: AccountRoutesOptions): readonly ManagementRoute[] {
  return [...ownRoutes(options), ...allRoutes(options), ...changeRoutes(options), ...raiseRoutes(options)];
}

async function shown({ store, clock }: AccountRoutesOptions, id: string) {
  const listed = await showAccount(store, id);
  return { body: viewAt(clock.nowMs())(listed), etag: etagOf(accountState(listed.account)) };
}

function ownRoutes(options: AccountRoutesOptions): readonly ManagementRoute[] {
  const tag = 'Account';
  return [
    route({
      ...{ method: 'get', path: '/account', operationId: 'getAccount', tag },
      summary: 'Read the account',
      access: { who: 'account', role: 'viewer', scope: 'account:read' },
      answer: { description: 'The account', schema: ACCOUNT },
      handle: (call) => shown(options, accountOf(call)),
    }),
    route({
      ...{ method: 'patch', path: '/account', operationId: 'updateAccount', tag },
      summary: 'Change the account',
      access: { who: 'account', role: 'owner', scope: 'account:write' },
      body: { schema: OWN_CHANGES },
      answer: { description: 'The account', schema: ACCOUNT },
      handle: async (call) => {
        await changeAccount(call.directory, accountOf(call), checkInput(OWN_CHANGES, ['accounts', 0], call.input));
        return shown(options, accountOf(call));
      },
    }),
  ];
}

function allRoutes(options: AccountRoutesOptions): readonly ManagementRoute[] {
  const { store, clock } = options;
  const tag = 'Accounts';
  return [
    route({
      ...{ method: 'get', path: '/accounts', operationId: 'listAccounts', tag, isList: true },
      summary: 'List all accounts',
      description: 'Ordered by id, or as `sort` says. Includes archived accounts.',
      access: { who: 'operator', scope: 'accounts:read' },
      query: LIST_QUERY,
      answer: { description: 'A page of accounts', schema: listSchema(LISTED) },
      handle: async ({ query: { figures, sort, ...request } }) => {
        const page =
          sort === undefined
            ? await listAccounts(store, request)
            : await sortedAccounts(store, { sort, ...request }, clock.nowMs());
        const view = viewAt(clock.nowMs());
        if (figures !== true) return pageAnswer(page, view);
        const ids = page.items.map(({ account }) => account.id);
        const figuresOf = await accountFigures(store, ids, clock.nowMs());
        return pageAnswer(page, (listed) => ({ ...view(listed), ...figuresView(figuresOf(listed.account.id)) }));
      },
    }),
    route({
      ...{ method: 'post', path: '/accounts', operationId: 'createAccount', tag },
      summary: 'Create an account',
      access: { who: 'operator', scope: 'accounts:write' },
      body: {
        schema: newAccountSchema,
        examples: {
          prepaid: { summary: 'With an initial balance of 10 USD', value: { id: 'acme', balance_usd: '10' } },
        },
      },
      answer: { status: 201, description: 'The account', schema: ACCOUNT },
      errors: ['already_exists'],
      handle: async (call) => {
        refuseOperators(call, call.input);
        refuseModel(options, textOf(call.input, 'id') ?? '', call.input);
        const { directory, trail, input } = call;
        const { ledger } = store;
        const { account, alreadyThere } = await createAccount({ directory, ledger, trail }, clock, input);
        const answer = await shown(options, account.id);
        return alreadyThere ? { ...answer, status: 200 } : answer;
      },
    }),
    route({
      ...{ method: 'get', path: '/accounts/{id}', operationId: 'getAccountById', tag },
      summary: 'Read an account',
      access: { who: 'operator', scope: 'accounts:read' },
      description: 'With the figures of the list.',
      answer: { description: 'The account', schema: LISTED },
      handle: async (call) => {
        const { body, etag } = await shown(options, paramOf(call, 'id'));
        const figuresOf = await accountFigures(store, [body.id], clock.nowMs());
        return { body: { ...body, ...figuresView(figuresOf(body.id)) }, etag };
      },
    }),
  ];
}

function changeRoutes(options: AccountRoutesOptions): readonly ManagementRoute[] {
  const { store, clock } = options;
  const tag = 'Accounts';
  const access = { who: 'operator', scope: 'accounts:write' } as const;
  const answer = { description: 'The account', schema: ACCOUNT };
  return [
    route({
      ...{ method: 'patch', path: '/accounts/{id}', operationId: 'updateAccountById', tag, access, answer },
      summary: 'Change an account',
      description: 'Omitted members keep their values; `null` restores the default.',
      body: { schema: z.strictObject(CHANGEABLE) },
      handle: async (call) => {
        refuseOperators(call, call.input);
        refuseModel(options, paramOf(call, 'id'), call.input);
        await changeAccount(call.directory, paramOf(call, 'id'), call.input);
        return shown(options, paramOf(call, 'id'));
      },
    }),
    route({
      ...{ method: 'post', path: '/accounts/{id}/archive', operationId: 'archiveAccount', tag, access, answer },
      summary: 'Archive an account',
      description: 'Its keys and tokens are refused from then on. Its ledger and its objects are kept.',
      handle: async (call) => {
        await archiveAccount(call.directory, clock, paramOf(call, 'id'));
        return shown(options, paramOf(call, 'id'));
      },
    }),
    route({
      ...{ method: 'post', path: '/accounts/{id}/restore', operationId: 'restoreAccount', tag, access, answer },
      summary: 'Restore an account',
      handle: async (call) => {
        refuseOperators(call, await existingAccount(store.directory, paramOf(call, 'id')));
        await restoreAccount(call.directory, paramOf(call, 'id'));
        return shown(options, paramOf(call, 'id'));
      },
    }),
  ];
}

function raiseRoutes(options: AccountRoutesOptions): readonly ManagementRoute[] {
  const { clock } = options;
  const access = { who: 'operator', scope: 'accounts:write' } as const;
  const of = { tag: 'Accounts', access, answer: { description: 'The account', schema: ACCOUNT } };
  return [
    route({
      ...{ method: 'post', path: '/accounts/{id}/budget/raise', operationId: 'raiseAccountBudget', ...of },
      summary: 'Raise the budget of an account for a limited time',
      description: `${RAISE_TEXT} Also for accounts of the configuration file.`,
      body: { schema: raiseSchema },
      errors: ['conflict'],
      handle: async (call) => {
        const { directory, input } = call;
        await raiseAccountBudget({ directory, clock }, paramOf(call, 'id'), input);
        return shown(options, paramOf(call, 'id'));
      },
    }),
    route({
      ...{ method: 'delete', path: '/accounts/{id}/budget/raise', operationId: 'endAccountBudgetRaise', ...of },
      summary: 'End the raise of an account’s budget',
      handle: async (call) => {
        await endAccountRaise(call.directory, paramOf(call, 'id'));
        return shown(options, paramOf(call, 'id'));
      },
    }),
  ];
}

/**
 * Refuses a limited token that would create, change or restore an `admin` account: all tokens of such an account are operators', so it
 * takes a token with every scope.
 */
function refuseOperators(call: ManagementCall, account: unknown): void {
  if (field(account, 'admin') === true) refusePowers(tokenInUse(call), '*', 'admin');
}

function refuseModel({ directory }: AccountRoutesOptions, accountId: string, input: unknown): void {
  refuseBudgetModel({ directory, accountId, mayBeHidden: true }, input);
}
