import { Link, useLocation } from '@tanstack/react-router';
import { BookOpen, ChevronDown, ChevronsUpDown, type LucideIcon } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useApi } from '../api/use-api.ts';
import { useBrand } from '../kit/brand.tsx';
import { cx } from '../kit/classes.ts';
import { Menu, type MenuItem } from '../kit/menu.tsx';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.tsx';
import { useGo } from './link.tsx';
import { maySee, type NavigationEntry, pathsOf, SECTIONS, type SectionId, useNavigation } from './navigation.ts';
import { type ScopeInUse, scopeOf, useAccountScope } from './scope.tsx';
import { useSession } from './session.tsx';

/** The pages of an account and, for operators, those of the gateway, in sections. */
export function Sidebar() {
  const text = useText(shellText);
  const { me } = useSession();
  const { support_url: support } = useBrand();
  const pages = useNavigation();
  const account = useAccountScope();
  const list = useRef<HTMLElement>(null);
  // The current page may be in a section further down.
  // A block: newer browsers return a promise, which React would call as a clean-up.
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, []);
  const shown = account === null ? [] : pages.account.filter((entry) => maySee(entry, account));
  return (
    <nav ref={list} aria-label={text.navigation} className="flex min-h-0 flex-1 flex-col gap-3 px-3 pb-4">
      <AccountSwitch account={account} />
      {/* The sections scroll between the account and the help, except in the sheet of a phone, which scrolls as a whole. */}
      <div className="-mx-1 flex flex-col gap-3 px-1 pb-1 lg:min-h-0 lg:flex-1 lg:overflow-y-auto">
        {account !== null &&
          SECTIONS.map((id) => (
            <Section key={id} id={id} base={account.base} entries={shown.filter(({ section }) => section === id)} />
          ))}
        {me.operator && <Section id="admin" base={scopeOf(null).base} entries={pages.operator} />}
      </div>
      <ul aria-label={text.sections.help} className="mt-auto border-t border-line pt-3">
        {account !== null &&
          shown
            .filter(({ section }) => section === 'help')
            .map((entry) => <Entry key={entry.path} base={account.base} entry={entry} paths={[entry.path]} />)}
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

interface SectionProps {
  readonly id: SectionId | 'admin';
  readonly base: string;
  readonly entries: readonly NavigationEntry[];
}

function Section({ id, base, entries }: SectionProps) {
  const text = useText(shellText);
  const [isOpen, toggle] = useOpenSection(id);
  const listId = useId();
  const { pathname } = useLocation();
  const isHere = entries.some(({ path }) => pathname === `${base}/${path}`);
  const title = text.sections[id];
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={listId}
        className={cx(
          'flex min-h-7 w-full items-center gap-1 rounded-md px-2.5 text-start font-medium text-xs hover:bg-hover max-lg:min-h-9',
          !isOpen && isHere ? 'text-accent' : 'text-soft',
        )}
        onClick={toggle}
      >
        <span className="flex-1">{title}</span>
        <ChevronDown aria-hidden className={cx('size-3.5 transition-transform', !isOpen && '-rotate-90')} />
      </button>
      <ul id={listId} aria-label={title} hidden={!isOpen}>
        {entries
          .filter(({ within }) => within === undefined)
          .map((entry) => (
            <Entry key={entry.path} base={base} entry={entry} paths={pathsOf(entry.path, entries)} />
          ))}
      </ul>
    </div>
  );
}

const KEPT_AS = 'switchyard.closed-sections';

/** Returns whether the section is open, and a function that opens or closes it. The browser remembers it. */
function useOpenSection(id: string): [boolean, () => void] {
  const [isOpen, setOpen] = useState(() => !closedSections().includes(id));
  const toggle = () => {
    const others = closedSections().filter((one) => one !== id);
    localStorage.setItem(KEPT_AS, (isOpen ? [...others, id] : others).join(' '));
    setOpen(!isOpen);
  };
  return [isOpen, toggle];
}

function closedSections(): readonly string[] {
  return (localStorage.getItem(KEPT_AS) ?? '').split(' ');
}

const LINK = 'flex min-h-8 items-center gap-2.5 rounded-md px-2.5 hover:bg-hover max-lg:min-h-11';

interface EntryProps {
  readonly base: string;
  readonly entry: NavigationEntry;
  /** The paths of the page and its tabs. */
  readonly paths: readonly string[];
}

function Entry({ base, entry: { page, path, icon: Icon }, paths }: EntryProps) {
  const text = useText(shellText);
  const { pathname } = useLocation();
  const isHere = paths.some((one) => pathname === `${base}/${one}`);
  return (
    <li>
      <Link
        to={`${base}/${path}`}
        aria-current={isHere ? 'page' : undefined}
        className={cx(LINK, isHere ? 'bg-accent-ground font-medium text-accent' : 'text-soft hover:text-text')}
      >
        <Label icon={Icon}>{text.pages[page]}</Label>
      </Link>
    </li>
  );
}

function OutsideLink({ href, label }: { readonly href: string; readonly label: string }) {
  return (
    <a href={href} target="_blank" rel="noreferrer" className={cx(LINK, 'text-soft hover:text-text')}>
      <Label icon={BookOpen}>{label}</Label>
    </a>
  );
}

function Label({ icon: Icon, children }: { readonly icon: LucideIcon; readonly children: ReactNode }) {
  return (
    <>
      <Icon size={16} aria-hidden className="shrink-0" />
      <span className="min-w-0 truncate">{children}</span>
    </>
  );
}

/** Selects the account. Operators find all others in a list of their own, and by the search. */
function AccountSwitch({ account }: { readonly account: ScopeInUse | null }) {
  const text = useText(shellText);
  const { me } = useSession();
  const go = useGo();
  const { memberships, operator } = me;
  const name = useAccountName(account);
  const items: MenuItem[] = [
    ...memberships.map(({ account: id, name: label }) => ({
      label,
      onSelect: () => go(`${scopeOf(id).base}/overview`),
    })),
    ...(operator ? [{ label: text.allAccounts, onSelect: () => go(`${scopeOf(null).base}/accounts`) }] : []),
  ];
  if (items.length < 2 && account?.isMember !== false) {
    const shown = account === null && !operator ? text.noAccess : name;
    return shown === '' ? null : <p className="truncate px-2.5 pt-3 font-medium">{shown}</p>;
  }
  const trigger = (
    <button
      type="button"
      className="mt-2 flex min-h-10 w-full items-center gap-2 rounded-md border border-line px-2.5 text-start hover:border-strong-line"
    >
      <span className="min-w-0 flex-1 truncate font-medium">{name}</span>
      <ChevronsUpDown size={15} aria-hidden className="shrink-0 text-soft" />
    </button>
  );
  return <Menu label={text.switchAccount} trigger={trigger} items={items} />;
}

/** Returns the name of an account, also of one that an operator does not belong to; empty until it is known. */
export function useAccountName(account: ScopeInUse | null): string {
  const { me } = useSession();
  const isOther = account !== null && !account.isMember;
  const other = useApi('getAccount', { query: account?.query ?? {} }, { enabled: isOther });
  if (account === null) return '';
  const own = me.memberships.find((one) => one.account === account.accountId);
  return own?.name ?? other.data?.name ?? account.accountId ?? '';
}
