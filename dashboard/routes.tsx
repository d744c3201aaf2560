import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from '@tanstack/react-router';
import { useApi } from './api/use-api.ts';
import { ACCOUNT_PAGES, OPERATOR_PAGES } from './pages.ts';
import { Crashed, NotFound } from './shell/failures.tsx';
import { Frame } from './shell/frame.tsx';
import { Gate, Start, ToOverview, ToOwnPages, ToStatement, useOwnScope, Waiting } from './shell/gate.tsx';
import { type LoadPage, type NavigationEntry, NavigationProvider } from './shell/navigation.ts';
import { ScopeProvider, scopeOf } from './shell/scope.tsx';
import { keepScroll } from './shell/scroll.ts';
import { parseSearch, stringifySearch } from './shell/search.ts';
import { useSession } from './shell/session.tsx';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound, errorComponent: Crashed });

const start = createRoute({ getParentRoute: () => root, path: '/', component: Start });
const welcome = open('/welcome', () => import('./pages/welcome/page.tsx'));
const signIn = open('/app/sign-in', () => import('./pages/sign-in/page.tsx'));

/** All of the following is for signed-in people. */
const app = createRoute({ getParentRoute: () => root, path: '/app', component: Gate });

const own = createRoute({ getParentRoute: () => app, id: 'own', component: PersonFrame });
const profile = createRoute({
  ...{ getParentRoute: () => own, path: '/me' },
  component: lazyRouteComponent(() => import('./pages/profile/page.tsx'), 'Page'),
});

const account = createRoute({ getParentRoute: () => app, path: '/a/$account', component: AccountFrame });

/** Earlier addresses of an account's pages. */
const MOVED = createRoute({ getParentRoute: () => account, path: '/statement', component: ToStatement });

const operator = createRoute({ getParentRoute: () => app, path: '/operator', component: OperatorFrame });

function open(path: string, load: LoadPage) {
  return createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, 'Page') });
}

function pagesOf(parent: typeof account | typeof operator, pages: readonly Pick<NavigationEntry, 'path' | 'load'>[]) {
  const getParentRoute = () => parent as typeof account;
  return [
    createRoute({ getParentRoute, path: '/', component: ToOverview }),
    ...pages.map(({ path, load }) =>
      createRoute({ getParentRoute, path: `/${path}`, component: lazyRouteComponent(load, 'Page') }),
    ),
  ];
}

function PersonFrame() {
  return (
    <ScopeProvider value={useOwnScope()}>
      <OwnFrame />
    </ScopeProvider>
  );
}

const NAVIGATION = { account: ACCOUNT_PAGES, operator: OPERATOR_PAGES };

function OwnFrame() {
  return (
    <NavigationProvider value={NAVIGATION}>
      <Frame>
        <Outlet />
      </Frame>
    </NavigationProvider>
  );
}

function AccountFrame() {
  const { account: accountId } = account.useParams();
  const { me } = useSession();
  const isMember = me.memberships.some((one) => one.account === accountId);
  // Operators may view every account that exists. To others an account that is not theirs looks like one that does not exist.
  const other = useApi('getAccount', { query: { account_id: accountId } }, { enabled: me.operator && !isMember });
  if (!isMember && (!me.operator || other.error?.status === 404)) return <NotFound />;
  if (!isMember && other.isPending) return <Waiting />;
  return (
    // The key drops input for one account when another is chosen.
    <ScopeProvider key={accountId} value={scopeOf(accountId)}>
      <OwnFrame />
    </ScopeProvider>
  );
}

function OperatorFrame() {
  const { me } = useSession();
  if (!me.operator) return <NotFound />;
  return (
    <ScopeProvider value={scopeOf(null)}>
      <OwnFrame />
    </ScopeProvider>
  );
}

const routeTree = root.addChildren([
  start,
  welcome,
  signIn,
  app.addChildren([
    createRoute({ getParentRoute: () => app, path: '/', component: ToOwnPages }),
    own.addChildren([profile]),
    account.addChildren([...pagesOf(account, ACCOUNT_PAGES), MOVED]),
    operator.addChildren(pagesOf(operator, OPERATOR_PAGES)),
  ]),
]);

/** Creates the router of the pages, under any proxy path. */
export function createPages() {
  const router = createRouter({
    routeTree,
    basepath: new URL(document.baseURI).pathname,
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    scrollRestoration: true,
  });
  keepScroll(router);
  return router;
}
