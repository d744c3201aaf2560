import { z } from 'zod';
import { INVITATION_PURPOSES, type Invitation } from '../../../domain/access/invitation.ts';
import { MEMBER_ROLES } from '../../../domain/access/user.ts';
import { namedPage } from '../../../engine/admin/names.ts';
import type { Page } from '../../../engine/admin/page.ts';
import { existingInvitation, invite, listInvitations, revokeInvitation } from '../../../engine/admin/people/invite.ts';
import type { PeoplePorts } from '../../../engine/admin/people/links.ts';
import { creatorNames } from '../../../engine/admin/people/names.ts';
import { invitationView } from '../../../engine/admin/people/person-view.ts';
import { checkInput } from '../../../engine/admin/schema/check-input.ts';
import { newInvitationSchema } from '../../../engine/admin/schema/people.ts';
import { listSchema, pageAnswer, same } from '../list.ts';
import { doerOf } from '../people.ts';
import { flag } from '../read-query.ts';
import { accountOf, type ManagementCall, type ManagementRoute, paramOf, route } from '../route.ts';
import { NAMED } from './named-answers.ts';

const TAG = 'People';

const INVITATION = z
  .looseObject({
    object: z.literal('invitation'),
    id: z.string(),
    purpose: z.enum(INVITATION_PURPOSES),
    email: z.string().nullable().meta({ description: '`null`: the invited person chooses.' }),
    account: z.string().nullable(),
    ...NAMED.account,
    role: z.enum(MEMBER_ROLES).nullable(),
    operator: z.boolean(),
    user: z.string().nullable().meta({ description: 'The user whose password a `reset` sets.' }),
    state: z.enum(['open', 'used', 'revoked', 'expired']),
    created_by: z.string(),
    created_by_name: z.string().nullable().meta({
      description:
        'The name of the user or token that created it. `null` if there is none, or if it does not belong to the account.',
    }),
    created_at: z.string(),
    expires_at: z.string(),
    used_at: z.string().nullable(),
    used_by: z.string().nullable(),
    revoked_at: z.string().nullable(),
  })
  .meta({ id: 'Invitation' });

const NEW_INVITATION = newInvitationSchema.omit({ account: true });

const CREATED = INVITATION.extend({
  link: z.string().nullable().meta({
    description: 'Works once, and is never shown again. `null` if it was only sent by mail.',
  }),
  mailed: z
    .boolean()
    .nullable()
    .meta({ description: 'Whether it was sent by mail. `null` without a mail server or an address.' }),
}).meta({ id: 'CreatedInvitation' });

/** Returns `invitations`: one-time links by which people join. */
export function invitationRoutes(ports: PeoplePorts): readonly ManagementRoute[] {
  const views = viewsOf(ports);
  const view = async (call: ManagementCall, invitation: Invitation) => {
    const [body] = (await views(call, { items: [invitation], next: null })).items;
    // There is one view for each.
    return body as NonNullable<typeof body>;
  };
  const read = { who: 'account', role: 'owner', scope: 'members:read', orAll: true } as const;
  const write = { who: 'account', role: 'owner', scope: 'members:write', orAll: true } as const;
  return [
    route({
      ...{ method: 'get', path: '/invitations', operationId: 'listInvitations', tag: TAG, isList: true, access: read },
      summary: 'List invitations',
      description: 'Newest first. Invitations are kept for 90 days after they expire.',
      query: z.strictObject({
        open: flag('Only invitations that can still be accepted.'),
      }),
      answer: { description: 'A page of invitations', schema: listSchema(INVITATION) },
      handle: async (call) => {
        const { open, ...page } = call.query;
        const request = { ...page, accountId: call.accountId ?? undefined, open: open === true };
        return pageAnswer(await views(call, await listInvitations(ports, request)), same);
      },
    }),
    route({
      ...{ method: 'post', path: '/invitations', operationId: 'createInvitation', tag: TAG, access: write },
      summary: 'Invite a person',
      description:
        'Invites to the account, with a role. Operators can also invite operators, then without an account. If the gateway can send mails and ' +
        '`email` is set, the link is sent by mail, and only operators see it here.',
      body: {
        schema: NEW_INVITATION,
        examples: {
          member: { summary: 'A colleague', value: { email: 'ann@example.com', role: 'member' } },
        },
      },
      answer: { status: 201, description: 'The invitation, with its link', schema: CREATED },
      errors: ['already_exists', 'conflict'],
      handle: async (call) => {
        const input = checkInput(NEW_INVITATION, [], call.input);
        const account = input.operator === true ? call.accountId : accountOf({ accountId: invitedTo(call) });
        const { invitation, link, mailed } = await invite(ports, doerOf(call), { ...input, account });
        return { body: { ...(await view(call, invitation)), link, mailed } };
      },
    }),
    route({
      ...{ method: 'get', path: '/invitations/{id}', operationId: 'getInvitation', tag: TAG, access: read },
      summary: 'Read an invitation',
      answer: { description: 'The invitation', schema: INVITATION },
      handle: async (call) => ({
        body: await view(call, await existingInvitation(ports, paramOf(call, 'id'), call.accountId)),
      }),
    }),
    route({
      ...{ method: 'delete', path: '/invitations/{id}', operationId: 'revokeInvitation', tag: TAG, access: write },
      summary: 'Revoke an invitation',
      description: 'Its link stops working at once. The invitation stays in lists.',
      answer: { description: 'The invitation', schema: INVITATION },
      errors: ['conflict'],
      handle: async (call) => ({
        body: await view(call, await revokeInvitation(ports, call, paramOf(call, 'id'), call.accountId)),
      }),
    }),
  ];
}

/** Returns a function that shows invitations with the names that the caller may know. */
function viewsOf(ports: PeoplePorts) {
  return async ({ accountId, requester }: ManagementCall, page: Page<Invitation>) => {
    const isVisible = (ids: readonly string[]) => requester?.isOperator === true || ids.includes(accountId ?? '');
    const creators = page.items.map(({ createdBy }) => createdBy);
    const names = await creatorNames(ports, creators, isVisible);
    const nowMs = ports.clock.nowMs();
    return namedPage(ports.directory, page, (invitation) => ({
      ...invitationView(invitation, nowMs),
      created_by_name: names.of(invitation.createdBy).name,
    }));
  };
}

/** Returns the account of an invitation. An operator who names none means their only account; nobody is invited to all. */
function invitedTo({ accountId, requester }: ManagementCall): string | null {
  if (accountId !== null || requester === null) return accountId;
  if (requester.kind === 'token') return requester.accountId;
  const [only, ...others] = requester.memberships;
  return only === undefined || others.length > 0 ? null : only.accountId;
}
