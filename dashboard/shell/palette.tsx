import { Building2, UserRound } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { useApi } from '../api/use-api.ts';
import { type CommandGroup, CommandList } from '../kit/command.tsx';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.tsx';
import { useGo } from './link.tsx';
import { type NavigationEntry, useNavigation } from './navigation.ts';
import { usePreferences } from './preferences.ts';
import { scopeOf, useScope } from './scope.tsx';
import { useSession } from './session.tsx';

interface PaletteProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const FOUND = 20;

/** A searchable list of all pages, accounts and preferences. */
export function Palette({ isOpen, onClose }: PaletteProps) {
  const text = useText(shellText);
  const { me } = useSession();
  const scope = useScope();
  const go = useGo();
  const preferences = usePreferences();
  const [typed, setTyped] = useState('');
  const accounts = useAccounts(useDeferredValue(typed), isOpen);
  const navigation = useNavigation();
  const pages = scope.accountId === null ? [] : navigation.account;
  const page = (base: string, { page: name, path, icon }: NavigationEntry) => ({
    label: text.pages[name],
    icon,
    run: () => go(`${base}/${path}`),
  });
  const groups: CommandGroup[] = [
    { title: text.goTo, items: pages.map((entry) => page(scope.base, entry)) },
    {
      title: text.gateway,
      items: me.operator ? navigation.operator.map((entry) => page(scopeOf(null).base, entry)) : [],
    },
    {
      title: text.accounts,
      items: accounts.map(({ id, name }) => ({
        label: name,
        detail: id,
        icon: Building2,
        run: () => go(`${scopeOf(id).base}/overview`),
      })),
    },
    {
      title: text.actions,
      items: [
        { label: text.profile, icon: UserRound, run: () => go('/app/me') },
        ...preferences.map(({ label, icon, onSelect }) => ({ label, icon, run: onSelect })),
      ],
    },
  ];
  return (
    <CommandList
      isOpen={isOpen}
      onClose={onClose}
      onQuery={setTyped}
      groups={groups.filter(({ items }) => items.length > 0)}
    />
  );
}

/** Returns the person's accounts; operators find all. */
function useAccounts(typed: string, isOpen: boolean): readonly { readonly id: string; readonly name: string }[] {
  const { me } = useSession();
  const isWanted = isOpen && me.operator;
  const found = useApi(
    'listAccounts',
    { query: { limit: FOUND, ...(typed !== '' && { q: typed }) } },
    { enabled: isWanted, keepPrevious: true },
  );
  if (me.operator && found.data) return found.data.data;
  return me.memberships.map(({ account, name }) => ({ id: account, name }));
}
