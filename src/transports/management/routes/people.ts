import { z } from 'zod';
import { MEMBER_ROLES, type UserWithMemberships } from '../../../domain/access/user.ts';
import { etagOf } from '../../../engine/admin/audit/object-states.ts';
import type { PageRequest } from '../../../engine/admin/page.ts';
import { resetLink } from '../../../engine/admin/people/invite.ts';
import type { PeoplePorts } from '../../../engine/admin/people/links.ts';
import {
  type ListedUser,
  listedUsers,
  listedUserView,
  sortedUsers,
  type UserListPorts,
} from '../../../engine/admin/people/listed-users.ts';
import { changeMember, existingMember, removeMember } from '../../../engine/admin/people/members.ts';
import { memberState, memberView, roleOf, sessionView, userState } from '../../../engine/admin/people/person-view.ts';
import {
  changeUser,
  existingUser,
  listSessions,
  listUsers,
  revokeSessions,
} from '../../../engine/admin/people/users.ts';
import { memberSchema, userChangeSchema } from '../../../engine/admin/schema/people.ts';
import { USER_ORDERS } from '../../../engine/ports/list-store.ts';
import { listAnswer, listSchema, pageAnswer, SORT_ORDER } from '../list.ts';
import { doerOf, SESSION_SCHEMA, USER_SCHEMA } from '../people.ts';
import { accountOf, type ManagementCall, type ManagementRoute, paramOf, route } from '../route.ts';

const TAG = 'People';

const MEMBER = z
  .looseObject({
    object: z.literal('member'),
    id: z.string().meta({ description: 'The id of the user.' }),
    email: z.string(),
    name: z.string(),
    account: z.string(),
    role: z.enum(MEMBER_ROLES),
    disabled: z.boolean(),
  })
  .meta({ id: 'Member' });

const RESET_LINK = z
  .looseObject({
    object: z.literal('reset_link'),
    link: z.string().nullable().meta({ description: 'Works once, and is never shown again.' }),
    mailed: z.boolean().nullable().meta({ description: '`null` if the gateway cannot send mails.' }),
    expires_at: z.string(),
  })
  .meta({ id: 'ResetLink' });

/** Returns `users`, for operators, and the `members` of an account. */
export function peopleRoutes(ports: PeoplePorts & UserListPorts): readonly ManagementRoute[] {
  return [...userRoutes(ports), ...memberRoutes(ports)];
}

const USER_FILTERS = z.strictObject({
  search: z.string().max(200).optional().meta({ description: 'Only users whose address or name contains this text.' }),
  sort: z.enum(USER_ORDERS).optional().meta({ description: 'The default is `email`.' }),
  order: SORT_ORDER,
});

const LISTED_USER = USER_SCHEMA.extend({
  memberships: z.array(
    z.object({
      account: z.string(),
      role: z.enum(MEMBER_ROLES),
      name: z.string().meta({ description: 'The name of the account.' }),
    }),
  ),
  last_active_at: z.string().nullable().meta({
    description: 'When the user last sent a request while signed in, to within five minutes. `null` if unknown.',
  }),
}).meta({ id: 'ListedUser' });

const READ_USERS = { who: 'operator', scope: 'members:read' } as const;

function listRoute(ports: PeoplePorts & UserListPorts): ManagementRoute {
  return route({
    ...{ method: 'get', path: '/users', operationId: 'listUsers', tag: TAG, isList: true, access: READ_USERS },
    summary: 'List users',
    description: 'Ordered by email address, or as `sort` says.',
    query: USER_FILTERS,
    answer: { description: 'A page of users', schema: listSchema(LISTED_USER) },
    handle: ({ accountId, query: { sort, order, ...query } }) => {
      const wanted = { accountId: accountId ?? undefined, ...query };
      const read = (page: PageRequest) =>
        sort === undefined
          ? listUsers(ports, { ...wanted, ...page })
          : sortedUsers(ports, { sort, order, ...wanted, ...page });
      const listed = async (request: PageRequest) => {
        const page = await read(request);
        return { ...page, items: await listedUsers(ports, page.items) };
      };
      return listAnswer(query, listed, listedUserView);
    },
  });
}

function userRoutes(ports: PeoplePorts & UserListPorts): readonly ManagementRoute[] {
  const shown = async (user: UserWithMemberships) => {
    const [listed] = await listedUsers(ports, [user]);
    // There is one for each user.
    return { body: listedUserView(listed as ListedUser), etag: etagOf(userState(user)) };
  };
  const changed = async (call: ManagementCall) =>
    await shown(await changeUser(ports, doerOf(call), paramOf(call, 'id'), call.input, call.ifMatch));
  const read = READ_USERS;
  const write = { who: 'operator', scope: 'members:write' } as const;
  return [
    listRoute(ports),
    route({
      ...{ method: 'get', path: '/users/{id}', operationId: 'getUser', tag: TAG, access: read },
      summary: 'Read a user',
      answer: { description: 'The user', schema: LISTED_USER },
      handle: async (call) => shown(await existingUser(ports, paramOf(call, 'id'))),
    }),
    route({
      ...{ method: 'patch', path: '/users/{id}', operationId: 'updateUser', tag: TAG, access: write },
      summary: 'Change, disable or enable a user',
      description:
        'Disabling ends all sessions at once. The last operator who can sign in cannot be disabled or demoted.',
      body: {
        schema: userChangeSchema,
        examples: { disable: { summary: 'Block sign-in as this user', value: { disabled: true } } },
      },
      answer: { description: 'The user', schema: LISTED_USER },
      errors: ['conflict'],
      handle: changed,
    }),
    route({
      ...{ method: 'post', path: '/users/{id}/reset-link', operationId: 'createResetLink', tag: TAG, access: write },
      summary: 'Create a password reset link',
      description: 'The link works once, for a day; earlier ones stop working. Using it ends all sessions of the user.',
      answer: { status: 201, description: 'The link', schema: RESET_LINK },
      errors: ['conflict'],
      handle: (call) => newLink(ports, call),
    }),
    route({
      ...{ method: 'get', path: '/users/{id}/sessions', operationId: 'listUserSessions', tag: TAG, access: read },
      summary: "List a user's sessions",
      answer: { description: 'The newest sessions, at most 1,000', schema: listSchema(SESSION_SCHEMA) },
      handle: async (call) => {
        const { id } = await existingUser(ports, paramOf(call, 'id'));
        const items = await listSessions(ports, id);
        return pageAnswer({ items, next: null }, (session) => sessionView(session, null));
      },
    }),
    route({
      ...{ method: 'delete', path: '/users/{id}/sessions', operationId: 'revokeUserSessions', tag: TAG, access: write },
      summary: "End all of a user's sessions",
      answer: { description: 'The number of ended sessions', schema: z.object({ revoked: z.number() }) },
      handle: async (call) => {
        const { id } = await existingUser(ports, paramOf(call, 'id'));
        return { body: { revoked: await revokeSessions(ports, call, id, null) } };
      },
    }),
  ];
}

async function newLink(ports: PeoplePorts, call: ManagementCall) {
  const { link, mailed, invitation } = await resetLink(ports, doerOf(call), paramOf(call, 'id'));
  const expires_at = new Date(invitation.expiresAtMs).toISOString();
  return { body: { object: 'reset_link' as const, link, mailed, expires_at } };
}

function memberRoutes(ports: PeoplePorts): readonly ManagementRoute[] {
  const shown = (user: UserWithMemberships, accountId: string) => ({
    body: memberView(user, accountId),
    etag: etagOf(memberState(user, accountId, roleOf(user, accountId))),
  });
  const read = { who: 'account', role: 'viewer', scope: 'members:read' } as const;
  const write = { who: 'account', role: 'owner', scope: 'members:write' } as const;
  return [
    route({
      ...{ method: 'get', path: '/members', operationId: 'listMembers', tag: TAG, isList: true, access: read },
      summary: 'List the people of an account',
      description: 'Ordered by email address.',
      answer: { description: 'A page of members', schema: listSchema(MEMBER) },
      handle: async (call) => {
        const accountId = accountOf(call);
        return listAnswer(
          call.query,
          (page) => listUsers(ports, { ...page, accountId }),
          (user) => memberView(user, accountId),
        );
      },
    }),
    route({
      ...{ method: 'get', path: '/members/{id}', operationId: 'getMember', tag: TAG, access: read },
      summary: 'Read a member',
      answer: { description: 'The member', schema: MEMBER },
      handle: async (call) => shown(await existingMember(ports, accountOf(call), paramOf(call, 'id')), accountOf(call)),
    }),
    route({
      ...{ method: 'patch', path: '/members/{id}', operationId: 'updateMember', tag: TAG, access: write },
      summary: 'Change the role of a member',
      description: 'Only an operator can change the role of an account’s last owner.',
      body: { schema: memberSchema, examples: { viewer: { summary: 'Read-only access', value: { role: 'viewer' } } } },
      answer: { description: 'The member', schema: MEMBER },
      errors: ['conflict'],
      handle: async (call) => {
        const member = { accountId: accountOf(call), userId: paramOf(call, 'id') };
        return shown(
          await changeMember(ports, { ...doerOf(call), ifMatch: call.ifMatch }, member, call.input),
          member.accountId,
        );
      },
    }),
    route({
      ...{ method: 'delete', path: '/members/{id}', operationId: 'removeMember', tag: TAG, access: write },
      summary: 'Remove a member from an account',
      description: 'The person stays a user. Only an operator can remove an account’s last owner.',
      answer: { status: 204, description: 'Done' },
      errors: ['conflict'],
      handle: async (call) => {
        const member = { accountId: accountOf(call), userId: paramOf(call, 'id') };
        await removeMember(ports, { ...doerOf(call), ifMatch: call.ifMatch }, member);
        return {};
      },
    }),
  ];
}
