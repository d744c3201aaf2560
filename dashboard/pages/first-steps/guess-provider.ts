import type { Provider } from '../../api/schema.ts';

/** The provider whose keys look like this one; null where none's do, or several's. */
export function guessProvider(providers: readonly Pick<Provider, 'id' | 'api_key'>[], key: string): string | null {
  const typed = key.trim();
  if (typed === '') return null;
  const found = providers.filter(({ api_key: { pattern } }) => pattern !== null && new RegExp(pattern).test(typed));
  return found.length === 1 ? (found[0]?.id ?? null) : null;
}

/** Where people of the providers that most have make a key. Opened by a press alone. */
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

/** Of the ids of models, one that answers quickly and costs little, by the words that makers put into names. */
export function smallModel(ids: readonly string[]): string | undefined {
  for (const word of [/nano|lite/, /mini|haiku|flash|small/]) {
    const found = ids.find((id) => word.test(id) && !/audio|search|realtime|transcribe|preview/.test(id));
    if (found !== undefined) return found;
  }
  return ids[0];
}
