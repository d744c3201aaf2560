import { providerSettings } from '../../../text/provider-settings.ts';
import { useText } from '../../../text/text.tsx';
import type { SettingWords } from './settings-schema.ts';

/** Returns the translated settings of a provider; without a translation, the provider's own texts are shown. */
export function useSettingWords(provider: string | undefined): SettingWords {
  const words: Readonly<Record<string, SettingWords>> = useText(providerSettings);
  return provider === undefined || !Object.hasOwn(words, provider) ? {} : (words[provider] ?? {});
}
