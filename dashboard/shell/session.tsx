import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { ApiError, call } from '../api/client.ts';
import type { Me } from '../api/schema.ts';
import { useApi } from '../api/use-api.ts';

export interface Session {
  readonly me: Me;
  /** Ends it, and leads to the page where one signs in. */
  signOut(): Promise<void>;
}

const Context = createContext<Session | null>(null);

interface SessionGateProps {
  readonly children: ReactNode;
  /** While it is not known yet who has signed in. */
  readonly waiting: ReactNode;
  /** In the place of the children while nobody has signed in. */
  readonly signedOut: ReactNode;
  readonly failed: (error: ApiError, retry: () => void) => ReactNode;
}

/** Its children are for people who have signed in. */
export function SessionGate({ children, waiting, signedOut, failed }: SessionGateProps) {
  const me = useApi('getMe', {}, { every: 60_000 });
  const client = useQueryClient();
  const session = useMemo(
    () =>
      me.data && {
        me: me.data,
        signOut: async () => {
          await call('authSignOut').catch((error: unknown) => {
            // A session that has ended already is what was wanted.
            if (!(error instanceof ApiError && error.isSignedOut)) throw error;
          });
          // What was read is forgotten, and who has signed in is asked anew.
          await client.resetQueries();
        },
      },
    [me.data, client],
  );
  if (me.error?.isSignedOut === true) return signedOut;
  if (session) return <Context value={session}>{children}</Context>;
  return me.error ? failed(me.error, () => void me.refetch()) : waiting;
}

export function useSession(): Session {
  const session = useContext(Context);
  if (session === null) throw new Error('There is no session around this page.');
  return session;
}
