import {
  Activity,
  Bell,
  Boxes,
  Building2,
  Cable,
  ChartColumn,
  ClipboardList,
  DatabaseZap,
  Gauge,
  KeyRound,
  Layers,
  Network,
  Play,
  Rocket,
  ScrollText,
  Server,
  Settings,
  ShieldCheck,
  SlidersHorizontal,
  Ticket,
  UserCog,
  Users,
  Wallet,
  Waypoints,
} from 'lucide-react';
import type { AccountEntry, NavigationEntry } from './shell/navigation.ts';

/** The pages of one account, in the order of the navigation. */
export const ACCOUNT_PAGES: readonly AccountEntry[] = [
  {
    ...{ section: 'build', page: 'playground', path: 'playground', icon: Play, needs: 'member' },
    load: () => import('./pages/playground/page.tsx'),
  },
  { section: 'build', page: 'models', path: 'models', icon: Boxes, load: () => import('./pages/models/page.tsx') },
  { section: 'build', page: 'keys', path: 'keys', icon: KeyRound, load: () => import('./pages/keys/page.tsx') },
  {
    ...{ section: 'build', page: 'own-channels', path: 'channels', icon: Cable, needs: 'member' },
    load: () => import('./pages/own-channels/page.tsx'),
  },
  {
    ...{ section: 'observe', page: 'overview', path: 'overview', icon: Gauge },
    load: () => import('./pages/overview/page.tsx'),
  },
  { section: 'observe', page: 'usage', path: 'usage', icon: ChartColumn, load: () => import('./pages/usage/page.tsx') },
  {
    ...{ section: 'observe', page: 'requests', path: 'requests', icon: Activity },
    load: () => import('./pages/requests/page.tsx'),
  },
  {
    ...{ section: 'observe', page: 'routing', path: 'routing', icon: Waypoints, needs: 'member' },
    load: () => import('./pages/routing/page.tsx'),
  },
  {
    section: 'observe',
    page: 'tasks',
    path: 'tasks',
    icon: ClipboardList,
    load: () => import('./pages/tasks/page.tsx'),
  },
  {
    ...{ section: 'observe', page: 'batches', path: 'batches', icon: Layers },
    load: () => import('./pages/batches/page.tsx'),
  },
  { section: 'observe', page: 'cache', path: 'cache', icon: DatabaseZap, load: () => import('./pages/cache/page.tsx') },
  { section: 'observe', page: 'alerts', path: 'alerts', icon: Bell, load: () => import('./pages/alerts/page.tsx') },
  {
    ...{ section: 'account', page: 'balance', path: 'balance', icon: Wallet },
    load: () => import('./pages/balance/page.tsx'),
  },
  { section: 'account', page: 'members', path: 'members', icon: Users, load: () => import('./pages/members/page.tsx') },
  {
    ...{ section: 'account', page: 'account', path: 'account', icon: SlidersHorizontal },
    load: () => import('./pages/account/page.tsx'),
  },
  {
    ...{ section: 'account', page: 'tokens', path: 'tokens', icon: Ticket, needs: 'owner', within: 'account' },
    load: () => import('./pages/tokens/page.tsx'),
  },
  {
    ...{ section: 'help', page: 'first-steps', path: 'first-steps', icon: Rocket, needs: 'member' },
    load: () => import('./pages/first-steps/page.tsx'),
  },
];

/** The pages of operators. */
export const OPERATOR_PAGES: readonly NavigationEntry[] = [
  { page: 'overview', path: 'overview', icon: Gauge, load: () => import('./pages/operator-overview/page.tsx') },
  { page: 'channels', path: 'channels', icon: Network, load: () => import('./pages/channels/page.tsx') },
  { page: 'models', path: 'models', icon: Boxes, load: () => import('./pages/operator-models/page.tsx') },
  { page: 'guards', path: 'guards', icon: ShieldCheck, load: () => import('./pages/guards/page.tsx') },
  { page: 'accounts', path: 'accounts', icon: Building2, load: () => import('./pages/accounts/page.tsx') },
  { page: 'users', path: 'users', icon: UserCog, load: () => import('./pages/users/page.tsx') },
  { page: 'usage', path: 'usage', icon: ChartColumn, load: () => import('./pages/usage/page.tsx') },
  { page: 'requests', path: 'requests', icon: Activity, load: () => import('./pages/requests/page.tsx') },
  { page: 'routing', path: 'routing', icon: Waypoints, load: () => import('./pages/routing/page.tsx') },
  { page: 'tasks', path: 'tasks', icon: ClipboardList, load: () => import('./pages/tasks/page.tsx') },
  { page: 'batches', path: 'batches', icon: Layers, load: () => import('./pages/batches/page.tsx') },
  { page: 'cache', path: 'cache', icon: DatabaseZap, load: () => import('./pages/cache/page.tsx') },
  { page: 'alerts', path: 'alerts', icon: Bell, load: () => import('./pages/alerts/page.tsx') },
  { page: 'nodes', path: 'nodes', icon: Server, load: () => import('./pages/nodes/page.tsx') },
  { page: 'audit', path: 'audit', icon: ScrollText, load: () => import('./pages/audit/page.tsx') },
  { page: 'settings', path: 'settings', icon: Settings, load: () => import('./pages/settings/page.tsx') },
];
