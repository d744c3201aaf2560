import { useEffect, useRef, useState } from 'react';
import { hasPasskeys, signInWithPasskey } from '../shared/passkey.ts';

export interface PasskeySignIn {
  readonly hasFailed: boolean;
  readonly isBusy: boolean;
  start(): void;
}

/** Signs in with a passkey: by a button, or by the browser's suggestion in the email field. */
export function usePasskey(onDone: () => Promise<void>): PasskeySignIn {
  const [hasFailed, setFailed] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const offer = useRef<AbortController>(null);
  const done = useRef(onDone);
  done.current = onDone;
  useEffect(() => {
    const controller = new AbortController();
    offer.current = controller;
    // Errors of an unsolicited suggestion are ignored; the button stays.
    offerPasskeys(controller.signal).then(
      (isIn) => (isIn && !controller.signal.aborted ? done.current() : undefined),
      () => undefined,
    );
    return () => controller.abort();
  }, []);
  const start = async () => {
    // A browser handles one passkey request at a time.
    offer.current?.abort();
    setFailed(false);
    setBusy(true);
    try {
      await signInWithPasskey({});
      await onDone();
    } catch {
      // The browser does not say why: the person may have closed its dialog.
      setFailed(true);
    } finally {
      setBusy(false);
    }
  };
  return { hasFailed, isBusy, start: () => void start() };
}

async function offerPasskeys(signal: AbortSignal): Promise<boolean> {
  if (!hasPasskeys() || !(await PublicKeyCredential.isConditionalMediationAvailable?.())) return false;
  // React's development mode mounts everything twice.
  if (signal.aborted) return false;
  await signInWithPasskey({ mediation: 'conditional', signal });
  return true;
}
