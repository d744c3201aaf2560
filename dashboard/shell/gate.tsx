import { Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import type { ApiError } from '../api/client.ts';
import type { Me } from '../api/schema.ts';
import { useErrorTitle } from '../kit/status.tsx';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.tsx';
import { type Scope, scopeOf, useScope } from './scope.tsx';
import { SessionGate, useSession } from './session.tsx';

/** Around the pages of people who have signed in. Who has not is led to where one signs in, and back. */
export function Gate() {
  return (
    <SignedIn>
      <Outlet />
    </SignedIn>
  );
}

/** `/`: to the pages of the person. */
export function Start() {
  return (
    <SignedIn>
      <ToOwnPages />
    </SignedIn>
  );
}

/** The account that was looked at last; it need not be there any more. */
const KEPT_AS = 'switchyard.account';

export function rememberAccount(accountId: string): void {
  localStorage.setItem(KEPT_AS, accountId);
}

function lastAccountOf({ memberships }: Me): string | null {
  const last = localStorage.getItem(KEPT_AS);
  return (memberships.find(({ account }) => account === last) ?? memberships[0])?.account ?? null;
}

/** The scope around pages that are about nothing but the person: where that person has been before. */
export function useOwnScope(): Scope {
  const { me } = useSession();
  return scopeOf(me.operator ? null : lastAccountOf(me));
}

function firstPageOf(me: Me): string {
  const own = lastAccountOf(me);
  if (own !== null) return `${scopeOf(own).base}/overview`;
  return me.operator ? '/app/operator/overview' : '/app/me';
}

/** Where there is no page: to the one that the person begins with. */
export function ToOwnPages() {
  const { me } = useSession();
  return <Redirect to={firstPageOf(me)} />;
}

function SignedIn({ children }: { readonly children: ReactNode }) {
  return (
    <SessionGate
      waiting={<Waiting />}
      signedOut={<ToSignIn />}
      failed={(error, retry) => <Unreachable error={error} retry={retry} />}
    >
      <SecondFactor>{children}</SecondFactor>
    </SessionGate>
  );
}

/** A session that needs a second factor first can do nothing but set one up. */
function SecondFactor({ children }: { readonly children: ReactNode }) {
  const { me } = useSession();
  const { href, pathname } = useLocation();
  if (me.needs_second_factor && !pathname.endsWith('/app/me')) return <Redirect to="/app/me" next={href} />;
  return children;
}

function ToSignIn() {
  const { href, pathname } = useLocation();
  return <Redirect to="/app/sign-in" next={pathname === '/' ? '' : href} />;
}

/** `/app/a/<account>` and `/app/operator`: to the first of their pages. */
export function ToOverview() {
  const { base } = useScope();
  return <Redirect to={`${base}/overview`} />;
}

/** Leads elsewhere once, however often it is drawn meanwhile. `next`: where to go on to from there. */
function Redirect({ to, next = '' }: { readonly to: string; readonly next?: string }) {
  const navigate = useNavigate();
  // biome-ignore lint/correctness/useExhaustiveDependencies: where one is meanwhile does not change where to go.
  useEffect(() => {
    void navigate({ to, search: (next === '' ? {} : { next }) as never, replace: true });
  }, [to]);
  return <Waiting />;
}

function Waiting() {
  const text = useText(shellText);
  return (
    <p role="status" data-waiting className="p-8 text-soft">
      {text.loading}
    </p>
  );
}

function Unreachable({ error, retry }: { readonly error: ApiError; readonly retry: () => void }) {
  const text = useText(shellText);
  const titleOf = useErrorTitle();
  return (
    <main className="mx-auto max-w-md px-4 py-24 text-center">
      <p role="alert" className="mb-6">
        {titleOf(error)}
      </p>
      <button type="button" className="rounded-md bg-accent px-3 py-1.5 font-medium text-on-accent" onClick={retry}>
        {text.reload}
      </button>
    </main>
  );
}
