import { useEffect, useRef, useState } from 'react';
import { hasPasskeys, signInWithPasskey } from '../shared/passkey.ts';

export interface PasskeySignIn {
  readonly hasFailed: boolean;
  readonly isBusy: boolean;
  start(): void;
}

/** Signs in with a passkey: by a button, or chosen from what the browser offers in the field of the email address. */
export function usePasskey(onDone: () => Promise<void>): PasskeySignIn {
  const [hasFailed, setFailed] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const offer = useRef<AbortController>(null);
  const done = useRef(onDone);
  done.current = onDone;
  useEffect(() => {
    const controller = new AbortController();
    offer.current = controller;
    // Whatever goes wrong with an offer that nobody has asked for is silent; the button stays.
    offerPasskeys(controller.signal).then(
      (isIn) => (isIn && !controller.signal.aborted ? done.current() : undefined),
      () => undefined,
    );
    return () => controller.abort();
  }, []);
  const start = async () => {
    // A browser asks for one passkey at a time.
    offer.current?.abort();
    setFailed(false);
    setBusy(true);
    try {
      await signInWithPasskey({});
      await onDone();
    } catch {
      // The browser says nothing of why: the person may simply have closed its dialog.
      setFailed(true);
    } finally {
      setBusy(false);
    }
  };
  return { hasFailed, isBusy, start: () => void start() };
}

async function offerPasskeys(signal: AbortSignal): Promise<boolean> {
  if (!hasPasskeys() || !(await PublicKeyCredential.isConditionalMediationAvailable?.())) return false;
  // In its development mode React mounts everything twice.
  if (signal.aborted) return false;
  await signInWithPasskey({ mediation: 'conditional', signal });
  return true;
}
