import type { Provider } from '../../api/schema.ts';

/** Returns the provider whose key pattern matches; null if none or several match. */
export function guessProvider(providers: readonly Pick<Provider, 'id' | 'api_key'>[], key: string): string | null {
  const typed = key.trim();
  if (typed === '') return null;
  const found = providers.filter(({ api_key: { pattern } }) => pattern !== null && new RegExp(pattern).test(typed));
  return found.length === 1 ? (found[0]?.id ?? null) : null;
}

/** The pages on which people create keys of the most common providers. Opened only on request. */
export const KEY_PAGES: Readonly<Record<string, string>> = {
  openai: 'https://platform.openai.com/api-keys',
  anthropic: 'https://platform.claude.com/settings/keys',
  google: 'https://aistudio.google.com/apikey',
  openrouter: 'https://openrouter.ai/settings/keys',
  deepseek: 'https://platform.deepseek.com/api_keys',
  mistral: 'https://console.mistral.ai/api-keys',
  groq: 'https://console.groq.com/keys',
  xai: 'https://console.x.ai',
};

/** Returns the id of a fast and cheap model, judged by common words in names. */
export function smallModel(ids: readonly string[]): string | undefined {
  for (const word of [/nano|lite/, /mini|haiku|flash|small/]) {
    const found = ids.find((id) => word.test(id) && !/audio|search|realtime|transcribe|preview/.test(id));
    if (found !== undefined) return found;
  }
  return ids[0];
}
