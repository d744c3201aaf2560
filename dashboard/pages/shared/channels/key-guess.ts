import type { Provider } from '../../../api/schema.ts';

/** Returns the provider whose key pattern matches; undefined if none or several match. */
export function providerOfKey(key: string, providers: readonly Provider[]): Provider | undefined {
  const typed = key.trim();
  if (typed === '') return undefined;
  const matching = providers.filter(({ api_key: { pattern } }) => pattern !== null && new RegExp(pattern).test(typed));
  return matching.length === 1 ? matching[0] : undefined;
}
