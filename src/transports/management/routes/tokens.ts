import { z } from 'zod';
import { GRANTED_SCOPES } from '../../../domain/access/scopes.ts';
import { existingAccount } from '../../../engine/admin/accounts/read-accounts.ts';
import { AdminError } from '../../../engine/admin/admin-error.ts';
import { changeKey, createKey, revokeOneKey } from '../../../engine/admin/keys/change-keys.ts';
import { listKeys, tokenView } from '../../../engine/admin/keys/read-keys.ts';
import { checkInput } from '../../../engine/admin/schema/check-input.ts';
import { newTokenSchema, rotationSchema } from '../../../engine/admin/schema/credential.ts';
import { listAnswer, listSchema } from '../list.ts';
import { accountOf, type ManagementCall, type ManagementRoute, route } from '../route.ts';
import {
  CREDENTIAL_SHAPE,
  CredentialAnswers,
  type CredentialRoutesOptions,
  credentialCreators,
  REVOCATION_TEXT,
  ROTATION_EXAMPLES,
  ROTATION_TEXT,
  secretField,
  tokenInUse,
} from './credential-answers.ts';

const TAG = 'Tokens';

const TOKEN = z
  .looseObject({ object: z.literal('token'), ...CREDENTIAL_SHAPE, scopes: z.array(z.enum(GRANTED_SCOPES)) })
  .meta({ id: 'Token' });
const CREATED_TOKEN = TOKEN.extend({ secret: secretField('token') }).meta({ id: 'CreatedToken' });

const { id: ID, scopes: SCOPES, ...OTHERS } = newTokenSchema.shape;
/** Scopes are required here: forgetting them must not grant everything. */
const NAMED_SCOPES = SCOPES.unwrap()
  .unwrap()
  .meta({ description: 'What it may do. `["*"]`: everything that the account may do.' });
const NEW = z.strictObject({ id: ID, ...OTHERS, scopes: NAMED_SCOPES });
const CHANGE = z.strictObject({ ...OTHERS, scopes: NAMED_SCOPES.optional() });

const READ = { who: 'account', role: 'owner', scope: 'tokens:read' } as const;
const WRITE = { who: 'account', role: 'owner', scope: 'tokens:write' } as const;
const EXAMPLE = { name: 'Reports', scopes: ['usage:read', 'requests:read'], expires_at: '2099-01-01' };
const CHECKED_AT = ['accounts', 0, 'management_tokens', 0] as const;

/** Returns `tokens`: the `mt-` tokens of an account. A token cannot grant more rights than it has. */
export function tokenRoutes(options: CredentialRoutesOptions): readonly ManagementRoute[] {
  const { store } = options;
  const answers = answersOf(options);
  return [
    route({
      ...{ method: 'get', path: '/tokens', operationId: 'listTokens', tag: TAG, isList: true },
      summary: 'List management tokens',
      description: 'Ordered by account and id. Includes revoked tokens.',
      access: { ...READ, orAll: true },
      answer: { description: 'A page of tokens', schema: listSchema(TOKEN) },
      handle: (call) => {
        const wanted = { accountId: call.accountId ?? undefined, kind: 'management' } as const;
        const read = answers.pages(call, (page) => listKeys(store, { ...wanted, ...page }));
        return listAnswer(call.query, read, (view) => view);
      },
    }),
    route({
      ...{ method: 'get', path: '/tokens/{id}', operationId: 'getToken', tag: TAG, access: READ },
      summary: 'Read a management token',
      answer: { description: 'The token', schema: TOKEN },
      handle: (call) => answers.shown(call),
    }),
    ...changes(options),
  ];
}

function answersOf(options: CredentialRoutesOptions) {
  const { store, clock } = options;
  return new CredentialAnswers(options, 'management', async (call, listed) => {
    const creatorOf = await credentialCreators(store, call, listed);
    const nowMs = clock.nowMs();
    return listed.map((one) => ({ object: 'token' as const, ...tokenView(one, nowMs), created_by: creatorOf(one) }));
  });
}

function changes(options: CredentialRoutesOptions): readonly ManagementRoute[] {
  const { clock, store } = options;
  const answers = answersOf(options);
  const of = { tag: TAG, access: WRITE };
  return [
    route({
      ...{ method: 'post', path: '/tokens', operationId: 'createToken', ...of },
      summary: 'Create a management token',
      description: 'A token cannot create one with more scopes or a later expiry than its own.',
      body: { schema: NEW, examples: { reports: { summary: 'A read-only token', value: EXAMPLE } } },
      answer: { status: 201, description: 'The token, with its secret', schema: CREATED_TOKEN },
      errors: ['already_exists', 'conflict'],
      handle: async (call) => {
        await refuseOthers(store, call);
        checkInput(NEW, CHECKED_AT, call.input);
        const owner = { accountId: accountOf(call), kind: 'management' } as const;
        const { secret, credential } = await createKey(call.directory, clock, owner, call.input, tokenInUse(call));
        return answers.made(call, credential, secret);
      },
    }),
    route({
      ...{ method: 'patch', path: '/tokens/{id}', operationId: 'updateToken', ...of },
      summary: 'Change a management token',
      description: 'Omitted members keep their values; `null` restores the default.',
      body: { schema: CHANGE },
      answer: { description: 'The token', schema: TOKEN },
      handle: async (call) => {
        await refuseOthers(store, call);
        const key = answers.keyOf(call);
        checkInput(CHANGE, CHECKED_AT, call.input);
        await changeKey(call.directory, clock, key, call.input, tokenInUse(call));
        return answers.shown(call, key);
      },
    }),
    route({
      ...{ method: 'post', path: '/tokens/{id}/rotate', operationId: 'rotateToken', ...of },
      summary: 'Rotate a management token',
      description: ROTATION_TEXT,
      body: { schema: rotationSchema, optional: true, examples: ROTATION_EXAMPLES },
      answer: { description: 'The token, with its new secret', schema: CREATED_TOKEN },
      handle: async (call) => {
        await refuseOthers(store, call);
        return answers.rotated(call);
      },
    }),
    route({
      ...{ method: 'delete', path: '/tokens/{id}', operationId: 'revokeToken', ...of },
      summary: 'Revoke a management token',
      description: REVOCATION_TEXT,
      answer: { description: 'The token', schema: TOKEN },
      handle: async (call) => {
        await revokeOneKey(call.directory, clock, answers.keyOf(call));
        return answers.shown(call);
      },
    }),
  ];
}

/** Only operators may create or change tokens of an `admin` account, since such a token makes its holder an operator. */
async function refuseOthers({ directory }: CredentialRoutesOptions['store'], call: ManagementCall): Promise<void> {
  if (call.requester?.isOperator === true) return;
  const { admin } = await existingAccount(directory, accountOf(call));
  if (!admin) return;
  throw new AdminError('forbidden', 'account_id', 'only admins can create or change the tokens of an admin account');
}
