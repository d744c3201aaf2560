import type { LucideIcon } from 'lucide-react';
import { type ComponentType, createContext, useContext } from 'react';
import type { shellText } from '../text/shell.ts';

/** Loads the module of a page, when it is first opened. */
export type LoadPage = () => Promise<{ readonly Page: ComponentType }>;

/** A page that the navigation and the command palette list. */
export interface NavigationEntry {
  /** The key of its title in the shell's texts. */
  readonly page: keyof typeof shellText.en.pages;
  /** The path under the scope's base. */
  readonly path: string;
  readonly icon: LucideIcon;
  /** The role that an account page is shown to; everybody if absent. */
  readonly needs?: 'member' | 'owner';
  readonly load: LoadPage;
}

interface Navigation {
  /** The pages of one account. */
  readonly account: readonly NavigationEntry[];
  /** The pages of operators. */
  readonly operator: readonly NavigationEntry[];
}

const Context = createContext<Navigation>({ account: [], operator: [] });

export const NavigationProvider = Context.Provider;

export function useNavigation(): Navigation {
  return useContext(Context);
}
