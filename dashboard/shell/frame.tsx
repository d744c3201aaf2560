import { Link, useLocation } from '@tanstack/react-router';
import { BookOpen, ChevronsUpDown, LogOut, type LucideIcon, Menu as MenuIcon, Search, UserRound } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useApi } from '../api/use-api.ts';
import { BrandLogo, useBrand } from '../kit/brand.tsx';
import { Button, IconButton } from '../kit/button.tsx';
import { Sheet } from '../kit/dialog.tsx';
import { Menu, type MenuItem } from '../kit/menu.tsx';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.tsx';
import { rememberAccount } from './gate.tsx';
import { useGo } from './link.tsx';
import { type NavigationEntry, useNavigation } from './navigation.ts';
import { Palette } from './palette.tsx';
import { usePreferences } from './preferences.ts';
import { type ScopeInUse, scopeOf, useScope } from './scope.tsx';
import { useSession } from './session.tsx';

/** The frame around the pages of signed-in people. */
export function Frame({ children }: { readonly children: ReactNode }) {
  const text = useText(shellText);
  const scope = useScope();
  const [isOpen, setOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the navigation.
  useEffect(() => setOpen(false), [pathname]);
  useEffect(() => {
    if (scope.accountId !== null) rememberAccount(scope.accountId);
  }, [scope.accountId]);
  useShortcut(() => setPaletteOpen(true));
  return (
    <div className="lg:grid lg:grid-cols-[15rem_minmax(0,1fr)] print:block">
      <button
        type="button"
        className="not-printed sr-only z-20 rounded-md bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
        onClick={() => document.getElementById('content')?.focus()}
      >
        {text.skip}
      </button>
      <aside className="not-printed sticky top-0 hidden h-dvh flex-col overflow-y-auto border-e border-line bg-panel lg:flex">
        <Brand />
        <Navigation scope={scope} />
      </aside>
      <Sheet title={text.navigation} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Navigation scope={scope} />
      </Sheet>
      <div className="min-w-0">
        <header className="not-printed sticky top-0 z-10 flex h-14 items-center gap-2 border-b border-line bg-panel px-4">
          <span className="lg:hidden">
            <IconButton label={text.openNavigation} icon={MenuIcon} onClick={() => setOpen(true)} />
          </span>
          <button
            type="button"
            className="flex h-9 min-w-0 flex-1 items-center gap-2 rounded-md border border-line bg-page px-3 text-start text-soft hover:border-strong-line sm:max-w-sm"
            onClick={() => setPaletteOpen(true)}
          >
            <Search size={16} aria-hidden className="shrink-0" />
            <span className="truncate">{text.search}</span>
            <kbd className="ms-auto hidden rounded border border-line px-1.5 text-xs sm:block">{SHORTCUT}</kbd>
          </button>
          <span className="ms-auto" />
          <UserMenu />
        </header>
        <main id="content" tabIndex={-1} className="mx-auto max-w-7xl px-4 py-6 outline-none sm:px-6">
          {children}
        </main>
      </div>
      <Palette isOpen={isPaletteOpen} onClose={() => setPaletteOpen(false)} />
    </div>
  );
}

const IS_MAC = /mac|iphone|ipad/i.test(navigator.userAgent);
const SHORTCUT = IS_MAC ? '⌘K' : 'Ctrl K';

function useShortcut(open: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(IS_MAC ? event.metaKey : event.ctrlKey)) return;
      event.preventDefault();
      open();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  });
}

function Brand() {
  const { name } = useBrand();
  return (
    <Link to="/" className="flex h-14 shrink-0 items-center gap-2 px-5 font-semibold tracking-tight">
      <BrandLogo className="h-[22px] max-w-24 shrink-0" />
      <span className="min-w-0 truncate" title={name}>
        {name}
      </span>
    </Link>
  );
}

function Navigation({ scope }: { readonly scope: ScopeInUse }) {
  const text = useText(shellText);
  const { me } = useSession();
  const pages = useNavigation();
  const { support_url: support } = useBrand();
  const isOfAccount = scope.accountId !== null;
  const entries = isOfAccount ? pages.account.filter((entry) => maySee(entry, scope)) : pages.operator;
  // Without an account and not an operator: there is nothing to navigate to.
  const isNowhere = !isOfAccount && !me.operator;
  return (
    <nav aria-label={text.navigation} className="flex flex-1 flex-col gap-4 px-3 pb-4">
      <ScopeSwitch scope={scope} />
      {!isNowhere && (
        <ul className="space-y-0.5">
          {entries.map(({ page, path, icon }) => (
            <li key={path}>
              <NavigationLink to={`${scope.base}/${path}`} icon={icon} label={text.pages[page]} />
            </li>
          ))}
        </ul>
      )}
      <ul className="mt-auto space-y-0.5 border-t border-line pt-3 text-sm">
        <li>
          <OutsideLink href="docs" label={text.apiReference} />
        </li>
        <li>
          <OutsideLink href="docs/guides" label={text.guides} />
        </li>
        {support !== null && (
          <li>
            <OutsideLink href={support} label={text.support} />
          </li>
        )}
      </ul>
    </nav>
  );
}

function maySee({ needs }: NavigationEntry, { mayWrite, mayOwn }: ScopeInUse): boolean {
  return needs === undefined || (needs === 'member' ? mayWrite : mayOwn);
}

const LINK = 'flex min-h-9 items-center gap-2.5 rounded-md px-2.5 hover:bg-hover';

function NavigationLink(props: { readonly to: string; readonly icon: LucideIcon; readonly label: string }) {
  const { to, icon: Icon, label } = props;
  return (
    <Link
      to={to}
      className={LINK}
      activeOptions={{ includeSearch: false }}
      activeProps={{ className: 'bg-accent-ground text-accent font-medium', 'aria-current': 'page' }}
      inactiveProps={{ className: 'text-soft hover:text-text' }}
    >
      <Icon size={17} aria-hidden className="shrink-0" />
      <span className="min-w-0 truncate">{label}</span>
    </Link>
  );
}

function OutsideLink({ href, label }: { readonly href: string; readonly label: string }) {
  return (
    <a href={href} target="_blank" rel="noreferrer" className={`${LINK} text-soft hover:text-text`}>
      <BookOpen size={16} aria-hidden />
      {label}
    </a>
  );
}

/** Selects the account. Operators with many accounts use the palette. */
function ScopeSwitch({ scope }: { readonly scope: ScopeInUse }) {
  const text = useText(shellText);
  const { me } = useSession();
  const go = useGo();
  const { memberships, operator } = me;
  const items: MenuItem[] = [
    ...(operator ? [{ label: text.everything, onSelect: () => go(`${scopeOf(null).base}/overview`) }] : []),
    ...memberships.map(({ account, name }) => ({
      label: name,
      onSelect: () => go(`${scopeOf(account).base}/overview`),
    })),
  ];
  const own = memberships.find(({ account }) => account === scope.accountId);
  // Operators view accounts that they are not members of.
  const isOther = scope.accountId !== null && own === undefined;
  const other = useApi('getAccount', { query: scope.query }, { enabled: isOther });
  const shown =
    scope.accountId === null
      ? operator
        ? text.everything
        : text.noAccess
      : (own?.name ?? other.data?.name ?? scope.accountId);
  if (items.length < 2 && own !== undefined) return <p className="truncate px-2.5 pt-3 font-medium">{shown}</p>;
  const trigger = (
    <button
      type="button"
      className="mt-2 flex min-h-10 w-full items-center gap-2 rounded-md border border-line px-2.5 text-start hover:border-strong-line"
    >
      <span className="min-w-0 flex-1 truncate font-medium">{shown}</span>
      <ChevronsUpDown size={15} aria-hidden className="shrink-0 text-soft" />
    </button>
  );
  return <Menu label={text.switchAccount} trigger={trigger} items={items} />;
}

function UserMenu() {
  const text = useText(shellText);
  const { me, signOut } = useSession();
  const go = useGo();
  const preferences = usePreferences();
  const name = me.name === '' ? me.email : me.name;
  const trigger = (
    <Button variant="quiet" icon={UserRound} aria-label={text.userMenu(name)}>
      <span className="hidden max-w-40 truncate sm:inline">{name}</span>
    </Button>
  );
  const items: MenuItem[] = [
    { label: text.profile, icon: UserRound, onSelect: () => go('/app/me') },
    ...preferences,
    { label: text.signOut, icon: LogOut, onSelect: () => void signOut() },
  ];
  return <Menu label={text.userMenu(name)} trigger={trigger} items={items} />;
}
