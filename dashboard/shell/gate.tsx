import { Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import type { ApiError } from '../api/client.ts';
import type { Me } from '../api/schema.ts';
import { useErrorTitle } from '../kit/status.tsx';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.tsx';
import { lastAccountOf } from './last-account.ts';
import { type Scope, scopeOf, useScope } from './scope.tsx';
import { type Search, useSearchState } from './search.ts';
import { SessionGate, useSession } from './session.tsx';

/** Surrounds the pages of signed-in people; others are redirected to sign in, and back. */
export function Gate() {
  return (
    <SignedIn>
      <Outlet />
    </SignedIn>
  );
}

/** Redirects `/` to the person's pages. */
export function Start() {
  return (
    <SignedIn>
      <ToOwnPages />
    </SignedIn>
  );
}

/** Returns the scope of personal pages: the person's last one. */
export function useOwnScope(): Scope {
  const { me } = useSession();
  return scopeOf(me.operator ? null : lastAccountOf(me));
}

function firstPageOf(me: Me): string {
  const own = lastAccountOf(me);
  if (own !== null) return `${scopeOf(own).base}/overview`;
  return me.operator ? '/app/operator/overview' : '/app/me';
}

/** Redirects an unknown path to the person's first page. */
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

/** Restricts a session that needs a second factor to setting it up. */
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

/** Redirects `/app/a/<account>` and `/app/operator` to the first of their pages. */
export function ToOverview() {
  const { base } = useScope();
  return <Redirect to={`${base}/overview`} />;
}

/** Redirects a statement's earlier address to the billing page. */
export function ToStatement() {
  const { base } = useScope();
  const { values } = useSearchState(['month']);
  return <Redirect to={`${base}/balance`} search={{ tab: 'months', month: values.month || thisMonth() }} />;
}

function thisMonth(): string {
  const now = new Date();
  return `${now.getFullYear()}-${String(now.getMonth() + 1).padStart(2, '0')}`;
}

interface RedirectProps {
  readonly to: string;
  readonly next?: string;
  readonly search?: Search;
}

/** Redirects once, however often it is rendered. `next` is where to continue from there. */
function Redirect({ to, next = '', search }: RedirectProps) {
  const navigate = useNavigate();
  // biome-ignore lint/correctness/useExhaustiveDependencies: where one is meanwhile does not change where to go.
  useEffect(() => {
    void navigate({ to, search: (search ?? (next === '' ? {} : { next })) as never, replace: true });
  }, [to]);
  return <Waiting />;
}

/** Shown until it is known what to show. */
export function Waiting() {
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
