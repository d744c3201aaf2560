import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useCallback, useSyncExternalStore } from 'react';
import { ownPage } from './own-page.ts';
import { parseSearch } from './search.ts';

/** Marks that this browser probably has a session, whose cookie scripts cannot see. */
const KEPT_AS = 'switchyard.signed-in';

const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

window.addEventListener('storage', ({ key }) => {
  if (key === KEPT_AS || key === null) tell();
});

export function markSignedIn(isSignedIn: boolean): void {
  if (isSignedIn) localStorage.setItem(KEPT_AS, '1');
  else localStorage.removeItem(KEPT_AS);
  tell();
}

function isMarked(): boolean {
  return localStorage.getItem(KEPT_AS) !== null;
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useSignedInMark(): boolean {
  return useSyncExternalStore(listen, isMarked);
}

/** Returns a function for after sign-in: it drops the previous person's data, and opens the requested page, else the start page. */
export function useEnter(): (next?: string) => Promise<void> {
  const router = useRouter();
  const client = useQueryClient();
  return useCallback(
    async (next = '') => {
      client.clear();
      markSignedIn(true);
      const { path, search } = ownPage(next) ?? { path: '/', search: '' };
      await router.navigate({ to: path, search: parseSearch(search) as never, replace: true });
    },
    [client, router],
  );
}
