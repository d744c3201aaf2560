import { z } from 'zod';
import { MEMBER_ROLES } from '../../domain/access/user.ts';
import type { Doer } from '../../engine/admin/people/links.ts';
import type { ManagementCall } from './route.ts';

/** Returns the actor of a change to people. */
export function doerOf({ origin, requester, publicOrigin, quotas }: ManagementCall): Doer {
  const token = requester?.kind === 'token' ? requester : null;
  return { origin, isOperator: requester?.isOperator ?? false, token, publicOrigin, quotas };
}

/** The output of `userView`. */
export const USER_SCHEMA = z
  .looseObject({
    object: z.literal('user'),
    id: z.string(),
    email: z.string(),
    email_verified: z.boolean().meta({
      description:
        'Whether a link has proved that the person owns the address. Until then, the user cannot accept invitations.',
    }),
    name: z.string(),
    operator: z.boolean().meta({ description: 'Whether the user has full access to all accounts.' }),
    two_factor_enabled: z.boolean(),
    memberships: z.array(z.object({ account: z.string(), role: z.enum(MEMBER_ROLES) })),
    created_at: z.string(),
    disabled_at: z
      .string()
      .nullable()
      .meta({ description: 'When the user was disabled. A disabled user cannot sign in.' }),
  })
  .meta({ id: 'User' });

export const SESSION_SCHEMA = z
  .looseObject({
    object: z.literal('session'),
    id: z.string(),
    current: z.boolean().meta({ description: 'Whether it is the session of this request.' }),
    address: z.string().nullable(),
    user_agent: z.string().nullable(),
    second_factor: z.boolean(),
    created_at: z.string(),
    expires_at: z.string(),
  })
  .meta({ id: 'Session' });
