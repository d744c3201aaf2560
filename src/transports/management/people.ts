import { z } from 'zod';
import type { Doer } from '../../engine/admin/people/links.ts';
import type { ManagementCall } from './route.ts';

/** Returns the actor of a change to people. */
export function doerOf({ origin, requester, publicOrigin, quotas }: ManagementCall): Doer {
  const token = requester?.kind === 'token' ? requester : null;
  return { origin, isOperator: requester?.isOperator ?? false, token, publicOrigin, quotas };
}

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
