import { providerSettings } from '../../../text/provider-settings.ts';
import { useText } from '../../../text/text.tsx';
import type { SettingLabels } from './settings-schema.ts';

/** Returns the translated settings of a provider; without a translation, the provider's own texts are shown. */
export function useSettingLabels(provider: string | undefined): SettingLabels {
  const words: Readonly<Record<string, SettingLabels>> = useText(providerSettings);
  return provider === undefined || !Object.hasOwn(words, provider) ? {} : (words[provider] ?? {});
}
