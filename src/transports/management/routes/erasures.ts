import { z } from 'zod';
import { type ErasurePorts, eraseUser, userErasureView } from '../../../engine/admin/erasure/erase-user.ts';
import { refuseErasure } from '../../../engine/admin/erasure/refuse-erasure.ts';
import { doerOf } from '../people.ts';
import { type ManagementRoute, paramOf, route } from '../route.ts';

const COUNT = z.number().int();

const USER_ERASURE = z
  .looseObject({
    object: z.literal('user_erasure'),
    id: z.string(),
    dry_run: z.boolean(),
    pseudonym: z
      .string()
      .nullable()
      .meta({ description: 'Stands for the person in the audit log. `null` for a dry run.' }),
    removed: z.object({
      passwords: COUNT,
      issuers: COUNT.meta({ description: 'Links with issuers.' }),
      passkeys: COUNT,
      two_factors: COUNT.meta({ description: 'Authenticators, each with its backup codes.' }),
      sessions: COUNT,
      verifications: COUNT.meta({ description: 'Sign-ins that were under way.' }),
      attempts: COUNT.meta({ description: 'Counters of mails that were sent to the address.' }),
      memberships: COUNT,
      invitations: COUNT.meta({
        description:
          'One-time links to the address, those that the person has used, and those the person has made that nobody has used.',
      }),
      alert_events: COUNT.meta({ description: 'Events of alerts whose text has the address.' }),
      mail_targets: COUNT.meta({ description: 'Targets of alerts that have the address.' }),
    }),
    rewritten: z.object({
      audit_entries: COUNT,
      account_names: COUNT.meta({
        description: 'Accounts of the person that had the person’s name or address as theirs.',
      }),
    }),
  })
  .meta({ id: 'UserErasure' });

const QUERY = z.strictObject({
  dry_run: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: '`true` counts what would be removed, and changes nothing.' }),
});

/** `DELETE /users/{id}`, for operators. */
export function erasureRoutes(ports: ErasurePorts): readonly ManagementRoute[] {
  return [
    route({
      ...{ method: 'delete', path: '/users/{id}', operationId: 'eraseUser', tag: 'People' },
      access: { who: 'operator', scope: 'members:write' },
      summary: 'Erase a person',
      description:
        'Deletes the user with all ways to sign in, sessions, memberships and one-time links, so that the address is free. In the audit log a random ' +
        'pseudonym stands for the person from then on. It cannot be taken back: only an operator’s session can do it in which a second factor ' +
        'was used within the last 10 minutes. What was interrupted is continued by asking again. The last operator who can sign in, and the last ' +
        'owner of an account that is not archived, stay.',
      query: QUERY,
      answer: { description: 'What was removed', schema: USER_ERASURE },
      errors: ['conflict'],
      handle: async (call) => {
        const dryRun = call.query.dry_run === 'true';
        if (!dryRun) refuseErasure(call.requester, ports.clock.nowMs(), 'user');
        return { body: userErasureView(await eraseUser(ports, doerOf(call), paramOf(call, 'id'), { dryRun })) };
      },
    }),
  ];
}
