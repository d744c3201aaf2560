import { z } from 'zod';
import {
  type AccountErasurePorts,
  accountErasureView,
  eraseAccount,
} from '../../../engine/admin/erasure/erase-account.ts';
import {
  type EndUserErasurePorts,
  endUserErasures,
  endUserErasureView,
} from '../../../engine/admin/erasure/erase-end-user.ts';
import { type ErasurePorts, eraseUser, userErasureView } from '../../../engine/admin/erasure/erase-user.ts';
import { refuseErasure } from '../../../engine/admin/require-second-factor.ts';
import { doerOf } from '../people.ts';
import { accountOf, type ManagementRoute, paramOf, route } from '../route.ts';
import { endUserOf } from './usage-tags.ts';

const COUNT = z.number().int();

const USER_ERASURE = z
  .looseObject({
    object: z.literal('user_erasure'),
    id: z.string(),
    dry_run: z.boolean(),
    pseudonym: z
      .string()
      .nullable()
      .meta({ description: 'Replaces the person in the audit log. `null` for a dry run.' }),
    removed: z.object({
      passwords: COUNT,
      issuers: COUNT.meta({ description: 'Linked issuers.' }),
      passkeys: COUNT,
      two_factors: COUNT.meta({ description: 'Authenticators, with their backup codes.' }),
      sessions: COUNT,
      verifications: COUNT.meta({ description: 'Pending sign-ins.' }),
      attempts: COUNT.meta({ description: 'Counters of mails sent to the address.' }),
      memberships: COUNT,
      invitations: COUNT.meta({
        description:
          'One-time links to the address, those that the person used, and unused ones that the person created.',
      }),
      alert_events: COUNT.meta({ description: 'Alert events whose text contains the address.' }),
      mail_targets: COUNT.meta({ description: 'Alert targets with the address.' }),
    }),
    rewritten: z.object({
      audit_entries: COUNT,
      account_names: COUNT.meta({
        description: 'Accounts of the person that were named after the person or the address.',
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
      .meta({ description: 'Replaces names, notes and client addresses. `null` for a dry run.' }),
    removed: z.object({
      memberships: COUNT,
      invitations: COUNT,
      alert_deliveries: COUNT,
      alert_events: COUNT,
      alert_states: COUNT,
      alert_targets: COUNT,
      alert_rules: COUNT,
      captures: COUNT.meta({ description: 'Captured requests and responses.' }),
      responses: COUNT.meta({ description: 'Stored responses.' }),
      objects: COUNT.meta({ description: 'Records of objects at the providers of its own channels.' }),
      tasks: COUNT,
      holds: COUNT,
      cache_reports: COUNT,
      cache_entries: COUNT.nullable().meta({ description: '`null` for a dry run, where they are not counted.' }),
      usage_tags: COUNT.meta({ description: 'Rows of usage by tag, such as by end user.' }),
      request_lines: COUNT.meta({ description: 'Lines of the request log.' }),
      channels: COUNT.meta({ description: 'Its own channels, with their upstream keys.' }),
    }),
    hidden: z.object({ key_names: COUNT, ledger_notes: COUNT, audit_entries: COUNT }),
  })
  .meta({ id: 'AccountErasure' });

const QUERY = z.strictObject({
  dry_run: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: '`true` counts what would be removed without changing anything.' }),
});

const END_USER_ERASURE = z
  .object({
    object: z.literal('end_user_erasure'),
    hash: z.string().meta({ description: 'The hash of the end user, which the audit log has instead of the name.' }),
    removed: z.object({
      usage_tags: COUNT.meta({ description: 'Rows of usage by end user.' }),
      request_lines: COUNT.meta({
        description: 'Lines of the request log that keep `(erased)` in place of the end user.',
      }),
      tasks: COUNT,
      holds: COUNT.meta({ description: 'Reservations of tasks.' }),
    }),
  })
  .meta({ id: 'EndUserErasure' });

/** Returns `DELETE /users/{id}` and `DELETE /accounts/{id}`, for operators, and `DELETE /usage/end-users/{name}`. */
export function erasureRoutes(
  ports: ErasurePorts & AccountErasurePorts & EndUserErasurePorts,
): readonly ManagementRoute[] {
  return [userErasure(ports), accountErasure(ports), endUserErasure(ports)];
}

function endUserErasure(ports: EndUserErasurePorts): ManagementRoute {
  const erase = endUserErasures(ports);
  return route({
    ...{ method: 'delete', path: '/usage/end-users/{name}', operationId: 'eraseEndUser', tag: 'Usage' },
    access: { who: 'account', role: 'owner', scope: 'account:write' },
    summary: 'Erase an end user',
    description:
      'Removes the name and the hash of an end user from usage and from the request log of the account. Counts and costs stay in the sums of all ' +
      'requests. Repeat an interrupted request to continue it. Requests in flight are logged afterwards. Each process erases one end user at a time.',
    answer: { description: 'The numbers of rows', schema: END_USER_ERASURE },
    errors: ['conflict'],
    handle: async (call) => {
      const wanted = { accountId: accountOf(call), name: endUserOf(call) };
      return { body: endUserErasureView(await erase(doerOf(call), wanted)) };
    },
  });
}

function userErasure(ports: ErasurePorts): ManagementRoute {
  return route({
    ...{ method: 'delete', path: '/users/{id}', operationId: 'eraseUser', tag: 'People' },
    access: { who: 'operator', scope: 'members:write' },
    summary: 'Erase a person',
    description:
      'Deletes the user with all sign-in methods, sessions, memberships and one-time links, so that the address can be used again. A random pseudonym ' +
      'replaces the person in the audit log. This cannot be undone: it requires an operator’s session in which a second factor was used within the ' +
      'last 10 minutes. Repeat an interrupted request to continue it. The last operator who can sign in, and the last owner of an account that is not ' +
      'archived, cannot be erased.',
    query: QUERY,
    answer: { description: 'The numbers of removed objects', schema: USER_ERASURE },
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
      'Removes the data of an archived account: request log, captures, stored responses, files, cached responses, tasks, alerts, members, channels ' +
      'and usage by tag. A random pseudonym replaces its name, the names of its keys, and the notes of its credits. Its id, ledger and usage sums are ' +
      'kept, so that the books can be verified. This cannot be undone: it requires an operator’s session in which a second factor was used within the ' +
      'last 10 minutes. The gateway continues an interrupted erasure; so does a repeated request.',
    query: QUERY,
    answer: { description: 'The numbers of removed objects', schema: ACCOUNT_ERASURE },
    errors: ['conflict'],
    handle: async (call) => {
      const dryRun = call.query.dry_run === 'true';
      if (!dryRun) refuseErasure(call.requester, ports.clock.nowMs(), 'account');
      return { body: accountErasureView(await eraseAccount(ports, doerOf(call), paramOf(call, 'id'), { dryRun })) };
    },
  });
}
