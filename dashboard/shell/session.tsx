import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo } from 'react';
import { ApiError, call } from '../api/client.ts';
import type { Me } from '../api/schema.ts';
import { useApi } from '../api/use-api.ts';
import { markSignedIn, useSignedInMark } from './entrance.ts';

export interface Session {
  readonly me: Me;
  /** Ends the session, and leads to the sign-in page. */
  signOut(): Promise<void>;
}

const Context = createContext<Session | null>(null);

interface SessionGateProps {
  readonly children: ReactNode;
  /** Shown until it is known who is signed in. */
  readonly waiting: ReactNode;
  /** Shown in place of the children while nobody is signed in. */
  readonly signedOut: ReactNode;
  readonly failed: (error: ApiError, retry: () => void) => ReactNode;
}

/** Shows its children to signed-in people. For other visitors it checks first whether there is a session, to avoid a refused request. */
export function SessionGate({ children, waiting, signedOut, failed }: SessionGateProps) {
  const isMarked = useSignedInMark();
  const options = useApi('getSignInOptions', {}, { enabled: !isMarked });
  const isIn = isMarked || options.data?.signed_in === true;
  const me = useApi('getMe', {}, { every: 60_000, enabled: isIn });
  const isRefused = me.error?.isSignedOut === true;
  const isKnown = me.data !== undefined;
  useEffect(() => {
    if (isRefused) markSignedIn(false);
    else if (isKnown) markSignedIn(true);
  }, [isRefused, isKnown]);
  const client = useQueryClient();
  const session = useMemo(
    () =>
      me.data && {
        me: me.data,
        signOut: async () => {
          await call('authSignOut').catch((error: unknown) => {
            // If the session has already ended, the goal is reached.
            if (!(error instanceof ApiError && error.isSignedOut)) throw error;
          });
          // Drops cached data, and checks again whether there is a session.
          client.clear();
          markSignedIn(false);
        },
      },
    [me.data, client],
  );
  if (isRefused || (!isMarked && options.data?.signed_in === false)) return signedOut;
  if (session && isIn) return <Context value={session}>{children}</Context>;
  const { error, refetch } = isIn ? me : options;
  return error ? failed(error, () => void refetch()) : waiting;
}

export function useSession(): Session {
  const session = useContext(Context);
  if (session === null) throw new Error('This page is outside the session provider.');
  return session;
}
