import { Fingerprint } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { ApiError, call } from '../../api/client.ts';
import { useApi } from '../../api/use-api.ts';
import { Button, LinkButton } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { ErrorBox, Loading, Notice } from '../../kit/status.tsx';
import { useSession } from '../../shell/session.tsx';
import { secondFactorText } from '../../text/second-factor.ts';
import { useText } from '../../text/text.tsx';
import { hasPasskeys, signInWithPasskey } from './passkey.ts';
import { SecondFactorForm } from './second-factor-form.tsx';

export interface RecentFactor {
  /** Does the work; if it is refused (403), asks for a second factor and tries again. */
  run<Value>(work: () => Promise<Value>): Promise<Value>;
  /** To be rendered on the page. */
  readonly dialog: ReactNode;
}

/** Handles actions for which the gateway requires a recent use of the second factor. */
export function useRecentFactor(): RecentFactor {
  const text = useText(secondFactorText);
  const [settle, setSettle] = useState<((isUsed: boolean) => void) | null>(null);
  const run = async <Value,>(work: () => Promise<Value>): Promise<Value> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 403) throw error;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      setSettle(() => resolve);
      const isUsed = await promise;
      setSettle(null);
      if (!isUsed) throw error;
      return await work();
    }
  };
  const dialog = (
    <Dialog title={text.title} description={text.about} isOpen={settle !== null} onClose={() => settle?.(false)}>
      {settle && <Factors onDone={async () => settle(true)} onBack={() => settle(false)} />}
    </Dialog>
  );
  return { run, dialog };
}

interface FactorsProps {
  readonly onDone: () => Promise<void>;
  readonly onBack: () => void;
}

function Factors({ onDone, onBack }: FactorsProps) {
  const text = useText(secondFactorText);
  const { me } = useSession();
  const passkeys = useApi('authPasskeyListUserPasskeys');
  if (passkeys.isPending) return <Loading />;
  const mayUsePasskey = hasPasskeys() && (passkeys.data ?? []).length > 0;
  if (!me.two_factor_enabled && !mayUsePasskey) {
    return (
      <div className="flex flex-col items-start gap-3">
        <Notice tone="warn">{text.none}</Notice>
        <LinkButton to="/app/me">{text.setUp}</LinkButton>
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      {mayUsePasskey && <WithPasskey userId={me.id} onDone={onDone} />}
      {me.two_factor_enabled && <SecondFactorForm onDone={onDone} onBack={onBack} />}
    </div>
  );
}

function WithPasskey({ userId, onDone }: { readonly userId: string; readonly onDone: () => Promise<void> }) {
  const text = useText(secondFactorText);
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle');
  const start = async () => {
    setState('busy');
    try {
      await signInWithPasskey({});
      // Another person's passkey has signed that person in.
      if ((await call('getMe')).id !== userId) location.reload();
      await onDone();
    } catch {
      // The browser does not say why: the person may have closed its dialog.
      setState('failed');
    }
  };
  return (
    <>
      {state === 'failed' && <ErrorBox error={new Error(text.passkeyFailed)} />}
      <Button icon={Fingerprint} isBusy={state === 'busy'} onClick={() => void start()}>
        {text.withPasskey}
      </Button>
    </>
  );
}
