import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';

/** The dashboard's languages, by their own names. */
export const LANGUAGES = { en: 'English', zh: '简体中文' } as const;

export type Language = keyof typeof LANGUAGES;

/** The texts of one part of the dashboard in every language; a function for a sentence with values. */
export type Texts<Words> = { readonly [Name in Language]: Words };

/**
 * Defines texts in every language. All of them are in `dashboard/text/`, one file per part, which is loaded with the pages that use it.
 *
 * @example defineText({ en: { made: (name: string) => `${name} was made.` }, zh: { made: (name) => `已创建 ${name}。` } })
 */
export function defineText<Words extends object>(texts: {
  readonly en: Words;
  readonly zh: NoInfer<Words>;
}): Texts<Words> {
  return texts;
}

interface Chosen {
  readonly language: Language;
  choose(language: Language): void;
}

const Context = createContext<Chosen>({ language: 'en', choose: () => undefined });
const KEPT_AS = 'switchyard.language';

export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage);
  const chosen = useMemo(
    () => ({
      language,
      choose: (next: Language) => {
        localStorage.setItem(KEPT_AS, next);
        setLanguage(next);
      },
    }),
    [language],
  );
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  return <Context value={chosen}>{children}</Context>;
}

/** Returns the stored choice, else the browser's preference. */
function firstLanguage(): Language {
  const kept = localStorage.getItem(KEPT_AS);
  if (kept === 'en' || kept === 'zh') return kept;
  const known = navigator.languages.map((tag) => tag.split('-')[0]).find((tag) => tag === 'en' || tag === 'zh');
  return known === 'zh' ? 'zh' : 'en';
}

export function useLanguage(): Chosen {
  return useContext(Context);
}

/** Returns the texts in the reader's language. */
export function useText<Words>(texts: Texts<Words>): Words {
  return texts[useContext(Context).language];
}
