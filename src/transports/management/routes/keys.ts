import { z } from 'zod';
import type { CredentialKey } from '../../../domain/access/api-key.ts';
import { credentialState, etagOf } from '../../../engine/admin/audit/object-words.ts';
import { changeKey } from '../../../engine/admin/keys/change-key.ts';
import { createKey } from '../../../engine/admin/keys/create-key.ts';
import { listedKeyView } from '../../../engine/admin/keys/key-view.ts';
import { type ListedKey, listKeys, showKey } from '../../../engine/admin/keys/list-keys.ts';
import { revokeOneKey } from '../../../engine/admin/keys/revoke-key.ts';
import { newKeySchema } from '../../../engine/admin/schema/credential.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { listAnswer, listSchema } from '../list.ts';
import {
  accountOf,
  type ManagementAnswer,
  type ManagementCall,
  type ManagementRoute,
  paramOf,
  route,
} from '../route.ts';

export interface KeyRoutesOptions {
  readonly store: Pick<Store, 'directory' | 'ledger' | 'keyUse'>;
  readonly clock: Clock;
}

const KEY = z
  .looseObject({
    object: z.literal('key'),
    id: z.string(),
    account: z.string(),
    name: z.string(),
    preview: z.string().meta({ description: 'The first and last characters of the secret.' }),
    state: z.enum(['active', 'expired', 'revoked']),
    limit_usd: z.string().nullable(),
    spent_usd: z.string(),
    models: z.array(z.string()).nullable(),
    requests_per_minute: z.number().nullable(),
    expires_at: z.string().nullable(),
    created_at: z.string(),
    revoked_at: z.string().nullable(),
    last_used_at: z.string().nullable(),
  })
  .meta({ id: 'Key' });

const CREATED_KEY = KEY.extend({
  secret: z.string().nullable().meta({
    description:
      'The key itself. It is never shown again; `null` where a key of this `id` and content was there already.',
  }),
}).meta({ id: 'CreatedKey' });

const TAG = 'Keys';
const { id: _id, ...CHANGEABLE } = newKeySchema.shape;

/** `keys`: the `sk-` keys of an account. */
export function keyRoutes({ store, clock }: KeyRoutesOptions): readonly ManagementRoute[] {
  const view = (listed: ListedKey) => ({ object: 'key', ...listedKeyView(listed, clock.nowMs()) });
  const shown = async (key: CredentialKey): Promise<ManagementAnswer> => {
    const listed = await showKey(store, key);
    return { body: view(listed), etag: etagOf(credentialState(listed.credential)) };
  };
  return [
    route({
      ...{ method: 'get', path: '/keys', operationId: 'listKeys', tag: TAG, isList: true },
      summary: 'List API keys',
      description: 'By account and id; revoked ones too.',
      access: { who: 'account', role: 'viewer', scope: 'keys:read', orAll: true },
      answer: { description: 'A page of keys', schema: listSchema(KEY) },
      handle: async ({ accountId, query }) =>
        listAnswer(await listKeys(store, { accountId: accountId ?? undefined, kind: 'inference', ...query }), view),
    }),
    route({
      ...{ method: 'post', path: '/keys', operationId: 'createKey', tag: TAG },
      summary: 'Make an API key',
      access: { who: 'account', role: 'member', scope: 'keys:write' },
      body: {
        schema: newKeySchema,
        optional: true,
        examples: { limited: { summary: 'A key that may spend 5 USD', value: { name: 'CI', limit_usd: '5' } } },
      },
      answer: { status: 201, description: 'The key, with its secret', schema: CREATED_KEY },
      errors: ['already_exists'],
      handle: async (call) => {
        const owner = { accountId: accountOf(call), kind: 'inference' } as const;
        const { secret, credential } = await createKey(call.directory, clock, owner, call.input);
        const { body, etag } = await shown(credential);
        const made = { body: { ...(body as object), secret }, ...(etag === undefined ? {} : { etag }) };
        return secret === null ? { ...made, status: 200 } : made;
      },
    }),
    route({
      ...{ method: 'get', path: '/keys/{id}', operationId: 'getKey', tag: TAG },
      summary: 'Read an API key',
      access: { who: 'account', role: 'viewer', scope: 'keys:read' },
      answer: { description: 'The key', schema: KEY },
      handle: (call) => shown(keyOf(call)),
    }),
    route({
      ...{ method: 'patch', path: '/keys/{id}', operationId: 'updateKey', tag: TAG },
      summary: 'Change an API key',
      description: 'Members that are left out stay; `null` takes one back to its default.',
      access: { who: 'account', role: 'member', scope: 'keys:write' },
      body: { schema: z.strictObject(CHANGEABLE) },
      answer: { description: 'The key', schema: KEY },
      handle: async (call) => {
        await changeKey(call.directory, clock, keyOf(call), call.input);
        return shown(keyOf(call));
      },
    }),
    route({
      ...{ method: 'delete', path: '/keys/{id}', operationId: 'revokeKey', tag: TAG },
      summary: 'Revoke an API key',
      description: 'For good: from the next request on it is refused with 401 `expired_api_key`. It stays in lists.',
      access: { who: 'account', role: 'member', scope: 'keys:write' },
      answer: { description: 'The key', schema: KEY },
      handle: async (call) => {
        await revokeOneKey(call.directory, clock, keyOf(call));
        return shown(keyOf(call));
      },
    }),
  ];
}

function keyOf(call: ManagementCall): CredentialKey {
  return { accountId: accountOf(call), kind: 'inference', id: paramOf(call, 'id') };
}
