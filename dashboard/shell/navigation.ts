import {
  Activity,
  Bell,
  Boxes,
  Building2,
  Cable,
  ClipboardList,
  DatabaseZap,
  Gauge,
  KeyRound,
  type LucideIcon,
  Network,
  Play,
  Rocket,
  ScrollText,
  Server,
  Settings,
  SlidersHorizontal,
  Ticket,
  UserCog,
  Users,
  Wallet,
} from 'lucide-react';

export interface NavigationEntry<Name extends string = PageName> {
  /** The key of its texts in the shell's. */
  readonly page: Name;
  /** The path under the scope's base. */
  readonly path: string;
  readonly icon: LucideIcon;
  /** The role that an account page is shown to; everybody if absent. */
  readonly needs?: 'member' | 'owner';
}

const OF_ACCOUNT = [
  { page: 'overview', path: 'overview', icon: Gauge },
  { page: 'playground', path: 'playground', icon: Play, needs: 'member' },
  { page: 'requests', path: 'requests', icon: Activity },
  { page: 'tasks', path: 'tasks', icon: ClipboardList },
  { page: 'models', path: 'models', icon: Boxes },
  { page: 'keys', path: 'keys', icon: KeyRound },
  { page: 'balance', path: 'balance', icon: Wallet },
  { page: 'cache', path: 'cache', icon: DatabaseZap },
  { page: 'alerts', path: 'alerts', icon: Bell },
  { page: 'own-channels', path: 'channels', icon: Cable, needs: 'member' },
  { page: 'tokens', path: 'tokens', icon: Ticket, needs: 'owner' },
  { page: 'members', path: 'members', icon: Users },
  { page: 'account', path: 'account', icon: SlidersHorizontal },
  { page: 'first-steps', path: 'first-steps', icon: Rocket, needs: 'member' },
] as const satisfies readonly NavigationEntry<string>[];

const OF_OPERATOR = [
  { page: 'overview', path: 'overview', icon: Gauge },
  { page: 'channels', path: 'channels', icon: Network },
  { page: 'models', path: 'models', icon: Boxes },
  { page: 'accounts', path: 'accounts', icon: Building2 },
  { page: 'users', path: 'users', icon: UserCog },
  { page: 'requests', path: 'requests', icon: Activity },
  { page: 'tasks', path: 'tasks', icon: ClipboardList },
  { page: 'cache', path: 'cache', icon: DatabaseZap },
  { page: 'alerts', path: 'alerts', icon: Bell },
  { page: 'nodes', path: 'nodes', icon: Server },
  { page: 'audit', path: 'audit', icon: ScrollText },
  { page: 'settings', path: 'settings', icon: Settings },
] as const satisfies readonly NavigationEntry<string>[];

export type PageName = (typeof OF_ACCOUNT | typeof OF_OPERATOR)[number]['page'];

/** The pages of one account. */
export const ACCOUNT_PAGES: readonly NavigationEntry[] = OF_ACCOUNT;

/** The pages of operators. */
export const OPERATOR_PAGES: readonly NavigationEntry[] = OF_OPERATOR;
