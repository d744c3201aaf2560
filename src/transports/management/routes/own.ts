import { z } from 'zod';
import type { PersonActor } from '../../../domain/access/actor.ts';
import { MEMBER_ROLES } from '../../../domain/access/member.ts';
import type { User, UserWithMemberships } from '../../../domain/access/user.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import {
  type AcceptPorts,
  acceptInvitation,
  lookAtInvitation,
  resetPassword,
} from '../../../engine/admin/people/accept.ts';
import { askForReset, register } from '../../../engine/admin/people/invite.ts';
import { sessionView, userView } from '../../../engine/admin/people/person-view.ts';
import { existingUser, listSessions, revokeSession, revokeSessions } from '../../../engine/admin/people/users.ts';
import {
  acceptanceSchema,
  emailSchema,
  invitationTokenSchema,
  passwordResetSchema,
} from '../../../engine/admin/schema/people.ts';
import { openaiChat } from '../../../formats/text/openai-chat/index.ts';
import { baseUrlsAt } from '../../shared/base-urls.ts';
import { listSchema, pageAnswer } from '../list.ts';
import { doerOf, SESSION_SCHEMA } from '../people.ts';
import { type ManagementAnswer, type ManagementCall, type ManagementRoute, paramOf, route } from '../route.ts';

const TAG = 'People';

/** The session facts that sign-in provides, and the other ports of these routes. */
export interface OwnRoutesOptions extends AcceptPorts {
  /** Resolves to the person who sends a request from a page of this gateway; `null` without a session. */
  readonly signedInFrom: (call: Pick<ManagementCall, 'headers' | 'publicOrigin'>) => Promise<User | null>;
  /** Resolves to whether the request's session still needs a second factor; `null` without a session. */
  readonly needsSecondFactor: (call: Pick<ManagementCall, 'headers' | 'publicOrigin'>) => Promise<boolean | null>;
  /** Counts an attempt to open or request a link; resolves to the milliseconds to wait, or `null` if it is allowed. */
  readonly takeAttempt: (address: string | null) => Promise<number | null>;
  /** The gateway's version. */
  readonly version: string;
  readonly providers: readonly { readonly id: string; readonly name: string }[];
  /** Runs work after the answer was sent, so that the response time reveals nothing. */
  readonly later: (work: Promise<void>) => void;
}

const USER = z
  .looseObject({
    object: z.literal('user'),
    id: z.string(),
    email: z.string(),
    email_verified: z.boolean().meta({
      description:
        'Whether a link has proved that the address is the own one; without that no invitation gives anything.',
    }),
    name: z.string(),
    operator: z.boolean(),
    two_factor_enabled: z.boolean(),
    memberships: z.array(z.object({ account: z.string(), role: z.enum(MEMBER_ROLES) })),
  })
  .meta({ id: 'AcceptedUser' });

/** Facts about the gateway that need no operator. */
const GATEWAY = {
  version: z.string().meta({ description: 'Of the gateway.' }),
  base_urls: z
    .object({ openai: z.string(), anthropic: z.string(), gemini: z.string() })
    .meta({ description: 'What the SDKs of each vendor are given, by the address at which this request has come.' }),
};

const ME = USER.extend({
  memberships: z.array(
    z.object({
      account: z.string(),
      role: z.enum(MEMBER_ROLES),
      name: z.string().meta({ description: 'Of the account.' }),
      archived: z.boolean().meta({ description: 'The account is out of use: nothing can be asked as it.' }),
    }),
  ),
  ...GATEWAY,
  session: z.string().meta({ description: "The id of the request's own session." }),
  needs_second_factor: z.boolean().meta({
    description: 'The session can do nothing else before a second factor is used, or set up.',
  }),
}).meta({ id: 'Me' });

const OPTIONS = z
  .object({
    object: z.literal('sign_in_options'),
    registration: z.enum(['closed', 'open']),
    ...GATEWAY,
    signed_in: z.boolean().meta({
      description: 'Whether the request has a session, so that a page need not ask `/me` to be refused.',
    }),
    needs_first_operator: z.boolean().meta({
      description:
        'There are no users yet: the first one comes in by the link that the gateway has printed at its start.',
    }),
    password_reset: z.boolean().meta({ description: 'Whether a link for a new password can be had by mail.' }),
    providers: z.array(z.object({ id: z.string(), name: z.string() })),
  })
  .meta({ id: 'SignInOptions' });

const LINK = z
  .looseObject({
    object: z.literal('invitation'),
    purpose: z.enum(['join', 'first_operator', 'registration', 'reset']),
    email: z.string().nullable(),
    account: z.string().nullable(),
    role: z.enum(MEMBER_ROLES).nullable(),
    operator: z.boolean(),
    expires_at: z.string(),
  })
  .meta({ id: 'InvitationLink' });

/** Returns the routes for a person's own data, and for people who are not signed in yet. */
export function ownRoutes(options: OwnRoutesOptions): readonly ManagementRoute[] {
  return [...meRoutes(options), ...linkRoutes(options), ...mailRoutes(options)];
}

function meRoutes(options: OwnRoutesOptions): readonly ManagementRoute[] {
  const access = { who: 'person' } as const;
  return [
    route({
      ...{ method: 'get', path: '/me', operationId: 'getMe', tag: TAG, access },
      summary: 'Read the signed-in person',
      answer: { description: 'The person', schema: ME },
      handle: async (call) => {
        const { userId, sessionId } = personIn(call);
        const user = await existingUser(options, userId);
        return {
          body: {
            ...userView(user),
            memberships: await namedMemberships(options, user),
            session: sessionId,
            needs_second_factor: (await options.needsSecondFactor(call)) ?? false,
            ...gatewayWords(options, call),
          },
        };
      },
    }),
    route({
      ...{ method: 'get', path: '/sessions', operationId: 'listSessions', tag: TAG, access },
      summary: "List the person's own sessions",
      description: 'The newest first.',
      answer: { description: 'The newest, 1,000 at most', schema: listSchema(SESSION_SCHEMA) },
      handle: async (call) => {
        const { userId, sessionId } = personIn(call);
        const items = await listSessions(options, userId);
        return pageAnswer({ items, next: null }, (session) => sessionView(session, sessionId));
      },
    }),
    route({
      ...{ method: 'delete', path: '/sessions', operationId: 'revokeSessions', tag: TAG, access },
      summary: "End the person's other sessions",
      answer: { description: 'How many there were', schema: z.object({ revoked: z.number() }) },
      handle: async (call) => {
        const { userId, sessionId } = personIn(call);
        return { body: { revoked: await revokeSessions(options, call, userId, sessionId) } };
      },
    }),
    route({
      ...{ method: 'delete', path: '/sessions/{id}', operationId: 'revokeSession', tag: TAG, access },
      summary: "End one of the person's own sessions",
      answer: { status: 204, description: 'Done' },
      handle: async (call) => {
        await revokeSession(options, call, personIn(call).userId, paramOf(call, 'id'));
        return {};
      },
    }),
  ];
}

function linkRoutes(options: OwnRoutesOptions): readonly ManagementRoute[] {
  const access = { who: 'anyone' } as const;
  return [
    route({
      ...{ method: 'post', path: '/invitations/lookup', operationId: 'lookUpInvitation', tag: TAG, access },
      summary: 'Look up a one-time link',
      body: { schema: invitationTokenSchema },
      answer: { description: 'What accepting it does', schema: LINK },
      errors: ['not_found', 'rate_limit_exceeded'],
      handle: (call) => limited(options, call, async () => ({ body: await lookAtInvitation(options, call.input) })),
    }),
    route({
      ...{ method: 'post', path: '/invitations/accept', operationId: 'acceptInvitation', tag: TAG, access },
      summary: 'Accept an invitation',
      description:
        'With `name` and `password` (and `email`, where the invitation leaves it open) it makes a user, who then signs in; without them ' +
        'the person who has signed in joins. No invitation gives anything to a user whose address was never verified. A link that proves its ' +
        'address takes such a user over, with the new name and password: all other ways to sign in are removed.',
      body: { schema: acceptanceSchema },
      answer: { status: 201, description: 'The user', schema: USER },
      errors: ['not_found', 'already_exists', 'conflict', 'rate_limit_exceeded'],
      handle: (call) =>
        limited(options, call, async () => {
          const signedIn = await options.signedInFrom(call);
          return { body: userView(await acceptInvitation(options, call, signedIn, call.input)) };
        }),
    }),
    route({
      ...{ method: 'post', path: '/password-resets/accept', operationId: 'resetPassword', tag: TAG, access },
      summary: 'Set a new password with a one-time link',
      description:
        'All sessions of the user end. A user whose address was not verified before loses all other ways to sign in, too.',
      body: { schema: passwordResetSchema },
      answer: { status: 204, description: 'Done' },
      errors: ['not_found', 'conflict', 'rate_limit_exceeded'],
      handle: (call) =>
        limited(options, call, async () => {
          await resetPassword(options, call, call.input);
          return {};
        }),
    }),
  ];
}

function mailRoutes(options: OwnRoutesOptions): readonly ManagementRoute[] {
  const access = { who: 'anyone' } as const;
  const email = { schema: emailSchema };
  /** Neither the answer nor its timing reveals whether the address is registered. */
  const asked = (begin: typeof register) => (call: ManagementCall) =>
    limited(options, call, async () => {
      const work = await begin(options, doerOf(call), call.input);
      options.later(work());
      return { body: { object: 'mail_request', accepted: true } };
    });
  return [
    route({
      ...{ method: 'get', path: '/sign-in-options', operationId: 'getSignInOptions', tag: TAG, access },
      summary: 'List the ways to sign in',
      answer: { description: 'The ways beside email and password', schema: OPTIONS },
      handle: async (call) => ({
        body: {
          object: 'sign_in_options',
          ...gatewayWords(options, call),
          signed_in: (await options.needsSecondFactor(call)) !== null,
          needs_first_operator: (await options.people.users({ limit: 1, after: null })).length === 0,
          registration: options.settings.registration,
          password_reset: options.mailer !== null,
          providers: options.providers,
        },
      }),
    }),
    route({
      ...{ method: 'post', path: '/password-resets', operationId: 'askForPasswordReset', tag: TAG, access },
      summary: 'Request a password reset link by mail',
      body: email,
      answer: { status: 202, description: 'Whether somebody has the address is not told', schema: z.looseObject({}) },
      errors: ['conflict', 'rate_limit_exceeded'],
      handle: asked(askForReset),
    }),
    route({
      ...{ method: 'post', path: '/registrations', operationId: 'register', tag: TAG, access },
      summary: 'Request a registration link by mail',
      body: email,
      answer: { status: 202, description: 'Whether somebody has the address is not told', schema: z.looseObject({}) },
      errors: ['access_denied', 'rate_limit_exceeded'],
      handle: asked(register),
    }),
  ];
}

async function namedMemberships({ directory }: OwnRoutesOptions, { memberships }: UserWithMemberships) {
  if (memberships.length === 0) return [];
  const ids = memberships.map(({ accountId }) => accountId);
  const { accounts } = await directory.read({ accounts: ids, serving: false });
  const byId = new Map(accounts.map((account) => [account.id, account]));
  return memberships.map(({ accountId, role }) => {
    const account = byId.get(accountId);
    const archived = account !== undefined && account.archivedAtMs !== null;
    return { account: accountId, role, name: account?.name ?? accountId, archived };
  });
}

function gatewayWords({ version }: OwnRoutesOptions, { publicOrigin }: Pick<ManagementCall, 'publicOrigin'>) {
  return { version, base_urls: baseUrlsAt(publicOrigin) };
}

function personIn({ requester }: ManagementCall): PersonActor {
  if (requester?.kind !== 'person') throw new Error('The route is open to people alone.');
  return requester;
}

/** Limits attempts: links cannot be guessed, but guessing must not load the gateway. */
async function limited(
  { takeAttempt }: OwnRoutesOptions,
  { address, requestId }: ManagementCall,
  work: () => Promise<ManagementAnswer>,
): Promise<ManagementAnswer> {
  const waitMs = await takeAttempt(address);
  if (waitMs === null) return await work();
  const message = 'There were too many attempts.';
  const failure = new Failure('rate_limit_exceeded', { kind: 'too_many_attempts', message, retryAfterMs: waitMs });
  const { status, body, headers } = openaiChat.encodeFailure(failure, requestId);
  return { status, body, headers };
}
