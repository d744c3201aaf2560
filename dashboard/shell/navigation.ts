import type { LucideIcon } from 'lucide-react';
import { type ComponentType, createContext, useContext } from 'react';
import type { shellText } from '../text/shell.ts';
import type { ScopeInUse } from './scope.tsx';

/** Loads the module of a page, when it is first opened. */
export type LoadPage = () => Promise<{ readonly Page: ComponentType }>;

/** The sections of an account's pages, in the order of the navigation. */
export const SECTIONS = ['build', 'observe', 'account'] as const;
export type SectionId = (typeof SECTIONS)[number];

/** A page that the navigation and the command palette list. */
export interface NavigationEntry {
  /** The key of its title in the shell's texts. */
  readonly page: keyof typeof shellText.en.pages;
  /** The path under the scope's base. */
  readonly path: string;
  readonly icon: LucideIcon;
  /** The role that an account page is shown to; everybody if absent. */
  readonly needs?: 'member' | 'owner';
  /** The path of the page that this one is a tab of. The navigation lists only that page. */
  readonly within?: string;
  readonly load: LoadPage;
}

export interface AccountEntry extends NavigationEntry {
  /** The section of the navigation that lists it. */
  readonly section: SectionId | 'help';
}

interface Navigation {
  /** The pages of one account. */
  readonly account: readonly AccountEntry[];
  /** The pages of operators. */
  readonly operator: readonly NavigationEntry[];
}

const Context = createContext<Navigation>({ account: [], operator: [] });

export const NavigationProvider = Context.Provider;

export function useNavigation(): Navigation {
  return useContext(Context);
}

/** Returns whether a person may see a page of the account in question. */
export function maySee({ needs }: NavigationEntry, { mayWrite, mayOwn }: ScopeInUse): boolean {
  return needs === undefined || (needs === 'member' ? mayWrite : mayOwn);
}

/** Returns the paths of a page and its tabs. */
export function pathsOf(path: string, entries: readonly NavigationEntry[]): readonly string[] {
  return [path, ...entries.filter(({ within }) => within === path).map((entry) => entry.path)];
}
