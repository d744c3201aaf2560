import { Languages, type LucideIcon, Monitor, Moon, Sun } from 'lucide-react';
import { shellText } from '../text/shell.ts';
import { LANGUAGES, type Language, useLanguage, useText } from '../text/text.tsx';
import { chooseTheme, THEMES, type Theme, useTheme } from './theme.ts';

export interface Preference {
  readonly label: string;
  readonly icon: LucideIcon;
  readonly onSelect: () => void;
}

const ICONS: Readonly<Record<Theme, LucideIcon>> = { system: Monitor, light: Sun, dark: Moon };

/** Returns the other themes and languages to choose from. */
export function usePreferences(): readonly Preference[] {
  const text = useText(shellText);
  const { language, choose } = useLanguage();
  const theme = useTheme();
  const languages = Object.entries(LANGUAGES) as [Language, string][];
  return [
    ...THEMES.filter((one) => one !== theme).map((one) => ({
      label: `${text.theme}: ${text.themes[one]}`,
      icon: ICONS[one],
      onSelect: () => chooseTheme(one),
    })),
    ...languages
      .filter(([one]) => one !== language)
      .map(([one, name]) => ({ label: name, icon: Languages, onSelect: () => choose(one) })),
  ];
}
