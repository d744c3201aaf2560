import { useCallback, useMemo } from 'react';
import type { Me } from '../api/schema.ts';
import { linkAt, ownAddress } from './own-address.ts';
import { useSession } from './session.tsx';

/** Returns the base URLs for each vendor's SDKs. */
export function useBaseUrls(): Me['base_urls'] {
  const { me } = useSession();
  return useMemo(() => {
    const address = ownAddress(me.public_url);
    return { openai: `${address}/v1`, anthropic: address, gemini: address };
  }, [me.public_url]);
}

/** Returns a function that makes a one-time link correct for people who open it. */
export function useOwnLink(): (link: string) => string {
  const { me } = useSession();
  return useCallback((link) => linkAt(ownAddress(me.public_url), link), [me.public_url]);
}
