import { z } from 'zod';
import type { CredentialKey, CredentialKind } from '../../../domain/access/api-key.ts';
import { credentialState, etagOf } from '../../../engine/admin/audit/object-states.ts';
import { rotateKey, type TokenInUse } from '../../../engine/admin/keys/change-keys.ts';
import { type ListedKey, showKey } from '../../../engine/admin/keys/read-keys.ts';
import type { Page, PageRequest } from '../../../engine/admin/page.ts';
import { type CreatorView, creatorNames } from '../../../engine/admin/people/names.ts';
import type { Directory } from '../../../engine/directory/directory.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { accountOf, type ManagementCall, paramOf } from '../route.ts';

export interface CredentialRoutesOptions {
  readonly store: Pick<Store, 'directory' | 'ledger' | 'keyUse' | 'people' | 'lists' | 'usage'>;
  readonly clock: Clock;
  /** The directory in force; without it, the models of budgets are not checked. */
  readonly directory?: () => Directory;
}

export const CREATOR = z.object({
  type: z.string().meta({ description: '`user`, `token`, `file`, `environment`, `command_line` or `gateway`.' }),
  id: z.string().nullable(),
  name: z.string().nullable().meta({
    description:
      'The name of the user or token. `null` if there is none any more, or if it does not belong to the account.',
  }),
});

/** Resolves to a function that returns the creator of each. Only operators learn names from outside of the account. */
export async function credentialCreators(
  store: CredentialRoutesOptions['store'],
  { accountId, requester }: ManagementCall,
  listed: readonly ListedKey[],
): Promise<(one: ListedKey) => CreatorView | null> {
  const isVisible = (ids: readonly string[]) => requester?.isOperator === true || ids.includes(accountId ?? '');
  const names = await creatorNames(
    store,
    listed.map(({ credential }) => credential.createdBy),
    isVisible,
  );
  return ({ credential: { createdBy } }) => (createdBy === null ? null : names.of(createdBy));
}

/** The members that keys and tokens have in common. */
export const CREDENTIAL_SHAPE = {
  id: z.string(),
  account: z.string(),
  name: z.string(),
  preview: z.string().meta({ description: 'The first and last characters of the secret.' }),
  state: z.enum(['active', 'expired', 'revoked']),
  managed_by: z.enum(['file', 'environment', 'api']).meta({
    description: 'Where it is defined. Changes to one of `file` are refused with 409: change the configuration file.',
  }),
  expires_at: z.string().nullable(),
  previous_secret_expires_at: z.string().nullable().meta({
    description: 'Until when the previous secret is accepted. `null` if it is not.',
  }),
  created_at: z.string(),
  created_by: CREATOR.nullable().meta({ description: '`null` for one that an earlier version created.' }),
  revoked_at: z.string().nullable(),
  last_used_at: z.string().nullable(),
} as const;

export function secretField(what: string) {
  const description = `The ${what} itself, which is never shown again. \`null\` if the same ${what} already existed.`;
  return z.string().nullable().meta({ description });
}

export const ROTATION_EXAMPLES = {
  grace: { summary: 'The old secret works for another day', value: { grace_seconds: 86_400 } },
};

export const ROTATION_TEXT =
  'The new secret is shown once, in the response. The old one is refused with 401 `expired_api_key` at once, or after `grace_seconds` (at most 30 days). If you rotate again during that time, the oldest secret expires at once.';

export const REVOCATION_TEXT =
  'Permanent: its requests are refused with 401 `expired_api_key` from then on. It stays in lists. If nodes of the gateway do not confirm within two seconds, the header `x-switchyard-unconfirmed-nodes` names them.';

/** Renders keys or tokens. */
export class CredentialAnswers<View extends object> {
  constructor(
    private readonly options: CredentialRoutesOptions,
    private readonly kind: CredentialKind,
    /** Resolves to the views of keys or tokens as the caller may see them. */
    readonly views: (call: ManagementCall, listed: readonly ListedKey[]) => Promise<readonly View[]>,
  ) {}

  /** Returns a function that reads a page of views. */
  pages(
    call: ManagementCall,
    read: (request: PageRequest) => Promise<Page<ListedKey>>,
  ): (request: PageRequest) => Promise<Page<View>> {
    return async (request) => {
      const page = await read(request);
      return { ...page, items: await this.views(call, page.items) };
    };
  }

  /** Returns the key that the path names. */
  keyOf(call: ManagementCall): CredentialKey {
    return { accountId: accountOf(call), kind: this.kind, id: paramOf(call, 'id') };
  }

  async shown(call: ManagementCall, key = this.keyOf(call)) {
    const listed = await showKey(this.options.store, key);
    const [body] = await this.views(call, [listed]);
    // There is one view for each key.
    return { body: body as View, etag: etagOf(credentialState(listed.credential)) };
  }

  async made(call: ManagementCall, key: CredentialKey, secret: string | null) {
    const { body, etag } = await this.shown(call, key);
    const answer = { body: { ...body, secret }, etag };
    return secret === null ? { ...answer, status: 200 } : answer;
  }

  async rotated(call: ManagementCall) {
    const key = this.keyOf(call);
    const { secret } = await rotateKey(call.directory, this.options.clock, key, call.input, tokenInUse(call));
    return this.made(call, key, secret);
  }
}

/** Returns the requester if it is a token, else `null`. */
export function tokenInUse({ requester }: Pick<ManagementCall, 'requester'>): TokenInUse | null {
  return requester?.kind === 'token' ? requester : null;
}
