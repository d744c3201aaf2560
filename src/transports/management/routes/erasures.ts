import { z } from 'zod';
import {
  type AccountErasurePorts,
  accountErasureView,
  eraseAccount,
} from '../../../engine/admin/erasure/erase-account.ts';
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

const ACCOUNT_ERASURE = z
  .looseObject({
    object: z.literal('account_erasure'),
    id: z.string(),
    dry_run: z.boolean(),
    pseudonym: z
      .string()
      .nullable()
      .meta({ description: 'Stands for names, notes and client addresses. `null` for a dry run.' }),
    removed: z.object({
      memberships: COUNT,
      invitations: COUNT,
      alert_deliveries: COUNT,
      alert_events: COUNT,
      alert_states: COUNT,
      alert_targets: COUNT,
      alert_rules: COUNT,
      captures: COUNT.meta({ description: 'Captured requests and answers.' }),
      responses: COUNT.meta({ description: 'Stored responses.' }),
      objects: COUNT.meta({ description: 'Where the objects of its own channels lie.' }),
      tasks: COUNT,
      holds: COUNT,
      cache_reports: COUNT,
      cache_entries: COUNT.nullable().meta({ description: '`null` for a dry run, which does not count them.' }),
      usage_tags: COUNT.meta({ description: 'Rows of sums by tag, such as by end user.' }),
      request_lines: COUNT.meta({ description: 'Lines of the request log.' }),
      channels: COUNT.meta({ description: 'Its own channels, with their keys.' }),
    }),
    hidden: z.object({ key_names: COUNT, ledger_notes: COUNT, audit_entries: COUNT }),
  })
  .meta({ id: 'AccountErasure' });

const QUERY = z.strictObject({
  dry_run: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: '`true` counts what would be removed, and changes nothing.' }),
});

/** Returns `DELETE /users/{id}` and `DELETE /accounts/{id}`, for operators. */
export function erasureRoutes(ports: ErasurePorts & AccountErasurePorts): readonly ManagementRoute[] {
  return [userErasure(ports), accountErasure(ports)];
}

function userErasure(ports: ErasurePorts): ManagementRoute {
  return route({
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
  });
}

function accountErasure(ports: AccountErasurePorts): ManagementRoute {
  return route({
    ...{ method: 'delete', path: '/accounts/{id}', operationId: 'eraseAccount', tag: 'Accounts' },
    access: { who: 'operator', scope: 'accounts:write' },
    summary: 'Erase an account',
    description:
      'Removes what an archived account has sent, been answered and called itself: request log, captures, stored responses, files, cached answers, ' +
      'tasks, alerts, members, channels and sums by tag. A random pseudonym takes the place of its name, the names of its keys, and the notes of its ' +
      'credits. Its id, its ledger and its sums of usage stay, so that the books can be verified. It cannot be taken back: only an operator’s ' +
      'session can do it in which a second factor was used within the last 10 minutes. What was interrupted is continued by the gateway, or by ' +
      'asking again.',
    query: QUERY,
    answer: { description: 'What was removed', schema: ACCOUNT_ERASURE },
    errors: ['conflict'],
    handle: async (call) => {
      const dryRun = call.query.dry_run === 'true';
      if (!dryRun) refuseErasure(call.requester, ports.clock.nowMs(), 'account');
      return { body: accountErasureView(await eraseAccount(ports, doerOf(call), paramOf(call, 'id'), { dryRun })) };
    },
  });
}
