import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { Crashed, NotFound } from './shell/failures.tsx';
import { Frame } from './shell/frame.tsx';
import { Gate, Start, ToOverview, ToOwnPages, useOwnScope } from './shell/gate.tsx';
import { ScopeProvider, scopeOf } from './shell/scope.tsx';
import { parseSearch, stringifySearch } from './shell/search.ts';
import { useSession } from './shell/session.tsx';

type Load = () => Promise<{ readonly Page: ComponentType }>;

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
const ACCOUNT: Readonly<Record<string, Load>> = {
  overview: () => import('./pages/overview/page.tsx'),
  playground: () => import('./pages/playground/page.tsx'),
  requests: () => import('./pages/requests/page.tsx'),
  tasks: () => import('./pages/tasks/page.tsx'),
  models: () => import('./pages/models/page.tsx'),
  keys: () => import('./pages/keys/page.tsx'),
  tokens: () => import('./pages/tokens/page.tsx'),
  cache: () => import('./pages/cache/page.tsx'),
  balance: () => import('./pages/balance/page.tsx'),
  statement: () => import('./pages/statement/page.tsx'),
  channels: () => import('./pages/own-channels/page.tsx'),
  members: () => import('./pages/members/page.tsx'),
  alerts: () => import('./pages/alerts/page.tsx'),
  account: () => import('./pages/account/page.tsx'),
  'first-steps': () => import('./pages/first-steps/page.tsx'),
};

const operator = createRoute({ getParentRoute: () => app, path: '/operator', component: OperatorFrame });
const OPERATOR: Readonly<Record<string, Load>> = {
  overview: () => import('./pages/operator-overview/page.tsx'),
  channels: () => import('./pages/channels/page.tsx'),
  models: () => import('./pages/operator-models/page.tsx'),
  accounts: () => import('./pages/accounts/page.tsx'),
  users: () => import('./pages/users/page.tsx'),
  requests: () => import('./pages/requests/page.tsx'),
  tasks: () => import('./pages/tasks/page.tsx'),
  cache: () => import('./pages/cache/page.tsx'),
  alerts: () => import('./pages/alerts/page.tsx'),
  nodes: () => import('./pages/nodes/page.tsx'),
  audit: () => import('./pages/audit/page.tsx'),
  settings: () => import('./pages/settings/page.tsx'),
};

function open(path: string, load: Load) {
  return createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, 'Page') });
}

function pagesOf(parent: typeof account | typeof operator, pages: Readonly<Record<string, Load>>) {
  const getParentRoute = () => parent as typeof account;
  return [
    createRoute({ getParentRoute, path: '/', component: ToOverview }),
    ...Object.entries(pages).map(([path, load]) =>
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

function OwnFrame() {
  return (
    <Frame>
      <Outlet />
    </Frame>
  );
}

function AccountFrame() {
  const { account: accountId } = account.useParams();
  const { me } = useSession();
  const mayLook = me.operator || me.memberships.some((one) => one.account === accountId);
  if (!mayLook) return <NotFound />;
  return (
    // The key drops input for one account when another is chosen.
    <ScopeProvider key={accountId} value={scopeOf(accountId)}>
      <OwnFrame />
    </ScopeProvider>
  );
}

function OperatorFrame() {
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
    account.addChildren(pagesOf(account, ACCOUNT)),
    operator.addChildren(pagesOf(operator, OPERATOR)),
  ]),
]);

/** Creates the router of the pages, under any proxy path. */
export function createPages() {
  return createRouter({
    routeTree,
    basepath: new URL(document.baseURI).pathname,
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    scrollRestoration: true,
  });
}
