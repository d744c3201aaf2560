import { Link, useLocation } from '@tanstack/react-router';
import { LogOut, Menu as MenuIcon, Search, UserRound } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { BrandLogo, useBrand } from '../kit/brand.tsx';
import { Button, IconButton } from '../kit/button.tsx';
import { cx } from '../kit/classes.ts';
import { Sheet } from '../kit/dialog.tsx';
import { Menu, type MenuItem } from '../kit/menu.tsx';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.tsx';
import { CustomerStrip } from './customer-strip.tsx';
import { rememberAccount } from './last-account.ts';
import { useGo } from './link.tsx';
import { Palette } from './palette.tsx';
import { usePreferences } from './preferences.ts';
import { useScope } from './scope.tsx';
import { useSession } from './session.tsx';
import { Sidebar } from './sidebar.tsx';
import { SubNavigation } from './sub-navigation.tsx';

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
    if (scope.accountId !== null && scope.isMember) rememberAccount(scope.accountId);
  }, [scope.accountId, scope.isMember]);
  useShortcut(() => setPaletteOpen(true));
  const isCustomers = scope.accountId !== null && !scope.isMember;
  return (
    <div
      className={cx(
        'lg:grid lg:grid-cols-[15rem_minmax(0,1fr)] print:block',
        // The height of what sticks to the top.
        isCustomers ? '[--frame-top:5.75rem]' : '[--frame-top:3.5rem]',
      )}
    >
      <button
        type="button"
        className="not-printed sr-only z-20 rounded-md bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
        onClick={() => document.getElementById('content')?.focus()}
      >
        {text.skip}
      </button>
      <aside className="not-printed sticky top-0 hidden h-dvh flex-col border-e border-line bg-panel lg:flex">
        <Brand />
        <Sidebar />
      </aside>
      <Sheet title={text.navigation} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Sidebar />
      </Sheet>
      <div className="min-w-0">
        <header className="not-printed sticky top-0 z-10">
          {isCustomers && <CustomerStrip scope={scope} />}
          <div className="flex h-14 items-center gap-2 border-b border-line bg-panel px-4">
            <span className="lg:hidden">
              <IconButton label={text.openNavigation} icon={MenuIcon} onClick={() => setOpen(true)} />
            </span>
            <button
              type="button"
              className="flex h-9 min-w-0 flex-1 items-center gap-2 rounded-md border border-line bg-page px-3 text-start text-soft hover:border-strong-line sm:max-w-sm"
              aria-keyshortcuts="Control+K Meta+K"
              onClick={() => setPaletteOpen(true)}
            >
              <Search size={16} aria-hidden className="shrink-0" />
              <span className="truncate">{text.search}</span>
              <kbd aria-hidden className="ms-auto hidden rounded border border-line px-1.5 text-xs sm:block">
                {SHORTCUT}
              </kbd>
            </button>
            <span className="ms-auto" />
            <UserMenu />
          </div>
        </header>
        <main id="content" tabIndex={-1} className="mx-auto max-w-7xl px-4 py-6 outline-none sm:px-6">
          <SubNavigation />
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
