import { z } from 'zod';
import { CAPTURE_MODES } from '../../../domain/access/account.ts';
import { type Credential, USAGE_ACCESS } from '../../../domain/access/api-key.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { refuseBudgetModel } from '../../../engine/admin/accounts/budget-model.ts';
import { endKeyRaise, raiseKeyBudget, raiseSchema } from '../../../engine/admin/accounts/raise-budget.ts';
import { AdminError } from '../../../engine/admin/admin-error.ts';
import { changeKey, createKey, revokeOneKey } from '../../../engine/admin/keys/change-keys.ts';
import { recentSpending } from '../../../engine/admin/keys/key-spending.ts';
import { makePlaygroundKey } from '../../../engine/admin/keys/playground-key.ts';
import { KEY_SORTS, KEY_STATES, listedKeyView, listKeys, sortedKeys } from '../../../engine/admin/keys/read-keys.ts';
import type { PageRequest } from '../../../engine/admin/page.ts';
import { newKeySchema, rotationSchema } from '../../../engine/admin/schema/credential.ts';
import { field } from '../../../engine/admin/schema/unchecked.ts';
import { MOST_RANKED } from '../../../engine/admin/usage/recent-spans.ts';
import { ownedBy } from '../access.ts';
import { listAnswer, listSchema, SORT_ORDER } from '../list.ts';
import { accountOf, type ManagementCall, type ManagementRoute, route } from '../route.ts';
import { BUDGET, BUDGET_RAISE, RAISE_TEXT } from './budgets.ts';
import {
  CREDENTIAL_SHAPE,
  CredentialAnswers,
  type CredentialRoutesOptions,
  credentialCreators,
  REVOCATION_TEXT,
  ROTATION_EXAMPLES,
  ROTATION_TEXT,
  secretField,
} from './credential-answers.ts';

const KEY = z
  .looseObject({
    object: z.literal('key'),
    ...CREDENTIAL_SHAPE,
    limit_usd: z.string().nullable(),
    spent_usd: z.string(),
    spent_7d_usd: z.string().meta({ description: 'The charges of the last seven days.' }),
    budget: BUDGET.nullable().meta({
      description: 'What it may spend per period. `GET /limits/keys` has the remaining amount.',
    }),
    budget_raise: BUDGET_RAISE,
    models: z.array(z.string()).nullable(),
    requests_per_minute: z.number().nullable(),
    guards: z.array(z.string()).meta({
      description: 'The ids of the guards that apply to its requests, besides those of the account and of the models.',
    }),
    capture: z.enum(CAPTURE_MODES).nullable().meta({
      description:
        'Whether request and response bodies are stored, in place of the account’s `capture`. `null`: as the account says. Only operators can set `full`.',
    }),
    usage_access: z.enum(USAGE_ACCESS).meta({
      description:
        'What the key may read with `GET /v1/usage` and the like: nothing, its own figures, or its account’s.',
    }),
  })
  .meta({ id: 'Key' });

const CREATED_KEY = KEY.extend({ secret: secretField('key') }).meta({ id: 'CreatedKey' });

const TAG = 'Keys';
const { id: _id, ...CHANGEABLE } = newKeySchema.shape;

const LIST_QUERY = z.strictObject({
  sort: z
    .enum(KEY_SORTS)
    .optional()
    .meta({
      description: `\`spent_7d\` ranks the ${MOST_RANKED} keys that spent most; the others follow by id.`,
    }),
  order: SORT_ORDER,
  q: z.string().min(1).max(200).optional().meta({
    description:
      'Only keys whose name, id or preview contains this text. Never send a secret here: addresses are logged.',
  }),
  state: z.enum(KEY_STATES).optional(),
});

const READ = { who: 'account', role: 'viewer', scope: 'keys:read' } as const;
const WRITE = { who: 'account', role: 'member', scope: 'keys:write' } as const;

/** Returns `keys`: the `sk-` keys of an account. */
export function keyRoutes(options: CredentialRoutesOptions): readonly ManagementRoute[] {
  const { store } = options;
  const answers = answersOf(options);
  return [
    route({
      ...{ method: 'get', path: '/keys', operationId: 'listKeys', tag: TAG, isList: true },
      summary: 'List API keys',
      description:
        'Ordered by account and id, or as `sort` says. Includes revoked keys, unless `state` says otherwise. `sort` and `state` need an account.',
      access: { ...READ, orAll: true },
      query: LIST_QUERY,
      answer: { description: 'A page of keys', schema: listSchema(KEY) },
      handle: (call) => {
        const { limit, after, q, sort, order, state } = call.query;
        const accountId = call.accountId ?? undefined;
        const isSorted = [sort, order, state].some((value) => value !== undefined);
        const read = isSorted
          ? sortedKeys(store, { accountId, q, sort, order, state }, options.clock.nowMs())
          : (page: PageRequest) => listKeys(store, { accountId, kind: 'inference', q, ...page });
        return listAnswer({ limit, after }, answers.pages(call, read), (view) => view);
      },
    }),
    route({
      ...{ method: 'get', path: '/keys/{id}', operationId: 'getKey', tag: TAG, access: READ },
      summary: 'Read an API key',
      answer: { description: 'The key', schema: KEY },
      handle: (call) => answers.shown(call),
    }),
    ...changes(options),
    ...raises(options),
  ];
}

function answersOf(options: CredentialRoutesOptions) {
  const { store, clock } = options;
  return new CredentialAnswers(options, 'inference', async (call, listed) => {
    const nowMs = clock.nowMs();
    const places = listed.map(({ credential: { accountId, id: keyId } }) => ({ accountId, keyId }));
    const [creatorOf, spentBy] = await Promise.all([
      credentialCreators(store, call, listed),
      recentSpending(store.usage, places, nowMs),
    ]);
    return listed.map((one) => ({
      object: 'key' as const,
      ...listedKeyView(one, nowMs),
      spent_7d_usd: formatNanoUsd(spentBy({ accountId: one.credential.accountId, keyId: one.credential.id })),
      created_by: creatorOf(one),
    }));
  });
}

function changes(options: CredentialRoutesOptions): readonly ManagementRoute[] {
  const { clock, directory } = options;
  const answers = answersOf(options);
  const of = { tag: TAG, access: WRITE };
  return [
    route({
      ...{ method: 'post', path: '/keys', operationId: 'createKey', ...of },
      summary: 'Create an API key',
      body: {
        schema: newKeySchema,
        optional: true,
        examples: { limited: { summary: 'A key with a limit of 5 USD', value: { name: 'CI', limit_usd: '5' } } },
      },
      answer: { status: 201, description: 'The key, with its secret', schema: CREATED_KEY },
      errors: ['already_exists', 'conflict'],
      handle: async (call) => {
        const owner = { accountId: accountOf(call), kind: 'inference' } as const;
        refuseBudgetModel({ directory, accountId: owner.accountId, mayBeHidden: false }, call.input);
        refuseCapture(call, field(call.input, 'capture'));
        const { secret, credential } = await createKey(call.directory, clock, owner, call.input);
        return answers.made(call, credential, secret);
      },
    }),
    route({
      ...{ method: 'post', path: '/playground-key', operationId: 'createPlaygroundKey', ...of },
      summary: 'Get a key for the playground',
      description:
        'The key that `/v1/management/playground/…` uses for signed-in people who name no other. The first such request creates it, but only for ' +
        'members of the account. Only this endpoint replaces a revoked or expired one. Its secret is never shown.',
      answer: { status: 201, description: 'The key', schema: KEY },
      errors: ['conflict'],
      handle: async (call) => {
        const accountId = accountOf(call);
        const isOwn = ownedBy(call.requester, accountId);
        const { key, isNew } = await makePlaygroundKey({ directory: call.directory, clock }, accountId, { isOwn });
        return { ...(await answers.shown(call, key)), status: isNew ? 201 : 200 };
      },
    }),
    route({
      ...{ method: 'patch', path: '/keys/{id}', operationId: 'updateKey', ...of },
      summary: 'Change an API key',
      description: 'Omitted members keep their values; `null` restores the default. Only operators can remove guards.',
      body: { schema: z.strictObject(CHANGEABLE) },
      answer: { description: 'The key', schema: KEY },
      handle: async (call) => {
        refuseBudgetModel({ directory, accountId: accountOf(call), mayBeHidden: false }, call.input);
        await changeKey(call.directory, clock, answers.keyOf(call), call.input, null, refuseWeaker(call));
        return answers.shown(call);
      },
    }),
    route({
      ...{ method: 'post', path: '/keys/{id}/rotate', operationId: 'rotateKey', ...of },
      summary: 'Rotate an API key',
      description: `${ROTATION_TEXT} Its limits and spending are kept.`,
      body: { schema: rotationSchema, optional: true, examples: ROTATION_EXAMPLES },
      answer: { description: 'The key, with its new secret', schema: CREATED_KEY },
      handle: (call) => answers.rotated(call),
    }),
    route({
      ...{ method: 'delete', path: '/keys/{id}', operationId: 'revokeKey', ...of },
      summary: 'Revoke an API key',
      description: REVOCATION_TEXT,
      answer: { description: 'The key', schema: KEY },
      handle: async (call) => {
        await revokeOneKey(call.directory, clock, answers.keyOf(call));
        return answers.shown(call);
      },
    }),
  ];
}

/** Throws `AdminError` if somebody who is no operator would have prompts stored: an operator has to tell people before. */
function refuseCapture({ requester }: ManagementCall, capture: unknown): void {
  if (capture !== 'full' || requester?.isOperator === true) return;
  throw new AdminError('forbidden', 'capture', 'can be set to "full" by operators only: ask one, or choose "none"');
}

/**
 * Returns the checks of a change: no member of the account switches captures on, or takes a guard away. A form may send back what an operator has
 * set.
 */
function refuseWeaker(call: ManagementCall) {
  return (after: Credential, before: Credential) => {
    if (after.capture !== before.capture) refuseCapture(call, after.capture);
    const gone = before.guards?.find((id) => after.guards?.includes(id) !== true);
    if (gone === undefined || call.requester?.isOperator === true) return;
    throw new AdminError('forbidden', 'guards', `"${gone}" can be removed by operators only: keep it, or ask one`);
  };
}

function raises(options: CredentialRoutesOptions): readonly ManagementRoute[] {
  const { clock } = options;
  const answers = answersOf(options);
  const of = { tag: TAG, access: WRITE, answer: { description: 'The key', schema: KEY } };
  return [
    route({
      ...{ method: 'post', path: '/keys/{id}/budget/raise', operationId: 'raiseKeyBudget', ...of },
      summary: 'Raise the budget of an API key for a limited time',
      description: RAISE_TEXT,
      body: { schema: raiseSchema },
      errors: ['conflict'],
      handle: async (call) => {
        const { directory, input } = call;
        await raiseKeyBudget({ directory, clock }, answers.keyOf(call), input);
        return answers.shown(call);
      },
    }),
    route({
      ...{ method: 'delete', path: '/keys/{id}/budget/raise', operationId: 'endKeyBudgetRaise', ...of },
      summary: 'End the raise of an API key’s budget',
      handle: async (call) => {
        await endKeyRaise(call.directory, answers.keyOf(call));
        return answers.shown(call);
      },
    }),
  ];
}
