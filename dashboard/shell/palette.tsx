import { UserRound } from 'lucide-react';
import { useState } from 'react';
import { type CommandGroup, CommandList } from '../kit/command.tsx';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.tsx';
import { useGo } from './link.tsx';
import { maySee, type NavigationEntry, useNavigation } from './navigation.ts';
import { usePreferences } from './preferences.ts';
import { scopeOf, useAccountScope } from './scope.tsx';
import { useSession } from './session.tsx';
import { useFound } from './use-found.ts';

interface PaletteProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** A search of all pages, objects and preferences. */
export function Palette({ isOpen, onClose }: PaletteProps) {
  const text = useText(shellText);
  const { me } = useSession();
  const account = useAccountScope();
  const go = useGo();
  const preferences = usePreferences();
  const [typed, setTyped] = useState('');
  const { groups: objects, isSearching, hasFailed } = useFound(typed, isOpen);
  const navigation = useNavigation();
  const page = (base: string, { page: name, path, icon }: NavigationEntry) => ({
    label: text.pages[name],
    icon,
    run: () => go(`${base}/${path}`),
  });
  const groups: CommandGroup[] = [
    {
      title: text.goTo,
      items:
        account === null
          ? []
          : navigation.account.filter((entry) => maySee(entry, account)).map((entry) => page(account.base, entry)),
    },
    {
      title: text.sections.admin,
      items: me.operator ? navigation.operator.map((entry) => page(scopeOf(null).base, entry)) : [],
    },
    {
      title: text.actions,
      items: [
        { label: text.profile, icon: UserRound, run: () => go('/app/me') },
        ...preferences.map(({ label, icon, onSelect }) => ({ label, icon, run: onSelect })),
      ],
    },
    // Last, so that results that arrive later move nothing that may be chosen already.
    ...objects,
  ];
  return (
    <CommandList
      isOpen={isOpen}
      onClose={() => {
        setTyped('');
        onClose();
      }}
      onQuery={setTyped}
      groups={groups.filter(({ items }) => items.length > 0)}
      isSearching={isSearching}
      {...(hasFailed && { problem: text.searchFailed })}
    />
  );
}
