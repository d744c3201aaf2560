import { DEFAULT_QUOTAS } from '../domain/access/object-quotas.ts';
import { randomBase62 } from '../engine/access/secrets.ts';
import { localOrigin } from '../engine/admin/audit/audit-trail.ts';
import { type AcceptPorts, acceptInvitation } from '../engine/admin/people/accept.ts';
import { ensureFirstOperator, invite } from '../engine/admin/people/invite.ts';
import type { Doer, MadeLink } from '../engine/admin/people/links.ts';
import { DEFAULT_BRANDING, DEFAULT_SIGN_IN } from '../engine/settings/settings.ts';
import { type DemoPerson, OPERATOR, PEOPLE } from './customers.ts';
import { clockAt, type DemoActor, type DemoContext, type DemoStep, originOf } from './demo-context.ts';
import { DAY_MS, HOUR_MS } from './demo-time.ts';

export interface SignIn {
  readonly email: string;
  readonly password: string;
}

export interface DemoOperator extends SignIn, DemoActor {}

const PUBLIC_ORIGIN = 'http://127.0.0.1:8787';
const FROM = { address: '192.0.2.24', requestId: null };

/** Returns the ports at that moment, so that links are valid for days from then on. */
function portsAt({ system: { passwords }, store: { people, directory } }: DemoContext, atMs: number): AcceptPorts {
  return {
    people,
    directory,
    clock: clockAt(atMs),
    mailer: null,
    branding: async () => DEFAULT_BRANDING,
    settings: DEFAULT_SIGN_IN,
    passwords,
    quotas: DEFAULT_QUOTAS,
  };
}

/** Creates the operator by the link of the first start. */
export async function demoOperator(context: DemoContext, atMs: number): Promise<DemoOperator> {
  const origin = localOrigin({ kind: 'gateway', name: 'first start' });
  const by: Doer = { origin, isOperator: true, publicOrigin: PUBLIC_ORIGIN };
  const made = await ensureFirstOperator(portsAt(context, atMs), by, null);
  if (made === null) throw new Error('There is already an operator.');
  return { ...(await acceptAs(context, atMs + 4 * 60_000, made, OPERATOR)) };
}

/** Creates all other people, invited by the operator. Resolves to them by address. */
export async function demoPeople(
  context: DemoContext,
  operator: DemoActor,
  fromMs: number,
): Promise<ReadonlyMap<string, DemoOperator>> {
  const found = new Map<string, DemoOperator>();
  for (const [index, person] of PEOPLE.entries()) {
    const { email, account, role } = person;
    const atMs = fromMs + index * 3 * HOUR_MS;
    const made = await inviteAt(context, atMs, operator, { email, account, role });
    found.set(email, await acceptAs(context, atMs + 40 * 60_000, made, person));
  }
  return found;
}

/** Returns the steps that create unused invitations: one valid, one expired and one revoked. */
export function openInvitations(context: DemoContext, operator: DemoActor): readonly DemoStep[] {
  const { time, store } = context;
  const waiting = { email: 'ravi@tidepool.example', account: 'tidepool', role: 'member' };
  const late = { email: 'olga@lighthouse.example', account: 'lighthouse', role: 'owner' };
  const wrong = { email: 'sam@ferrylime.example', account: 'ferryline', role: 'member' };
  return [
    { atMs: time.nowMs - 26 * HOUR_MS, run: (atMs) => inviteAt(context, atMs, operator, waiting) },
    { atMs: time.nowMs - 12 * DAY_MS, run: (atMs) => inviteAt(context, atMs, operator, late) },
    {
      atMs: time.nowMs - 3 * DAY_MS,
      run: async (atMs) => {
        const taken = await inviteAt(context, atMs, operator, wrong);
        await store.people.revokeInvitation(taken.invitation.id, atMs + 90_000);
      },
    },
  ];
}

async function inviteAt(context: DemoContext, atMs: number, operator: DemoActor, input: object): Promise<MadeLink> {
  const by: Doer = { origin: originOf(context, operator), isOperator: true, publicOrigin: PUBLIC_ORIGIN };
  return invite(portsAt(context, atMs), by, input);
}

async function acceptAs(
  context: DemoContext,
  atMs: number,
  { link }: MadeLink,
  { email, name }: DemoPerson,
): Promise<DemoOperator> {
  const token = link?.split('#')[1] ?? '';
  const password = randomBase62(16);
  const input = { token, email, name, password };
  const { id: userId } = await acceptInvitation(portsAt(context, atMs), FROM, null, input);
  return { email, password, userId };
}
