import { providerSettings } from '../../../text/provider-settings.ts';
import { useText } from '../../../text/text.tsx';
import type { SettingWords } from './settings-schema.ts';

/** Of a provider that has no words here its own are shown. */
export function useSettingWords(provider: string | undefined): SettingWords {
  const words: Readonly<Record<string, SettingWords>> = useText(providerSettings);
  return provider === undefined || !Object.hasOwn(words, provider) ? {} : (words[provider] ?? {});
}
