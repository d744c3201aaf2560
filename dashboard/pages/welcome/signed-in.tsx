import { useChange } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { ErrorBox } from '../../kit/status.tsx';
import { signInText } from '../../text/sign-in.ts';
import { useText } from '../../text/text.tsx';
import { oneTimeToken } from './one-time-token.ts';

/** Accepts an invitation for a person who is signed in. */
export function Accept({ onDone }: { readonly onDone: () => Promise<void> }) {
  const text = useText(signInText);
  const accept = useChange('acceptInvitation', { onDone: () => void onDone() });
  return (
    <>
      {accept.error && <ErrorBox error={accept.error} />}
      <Button
        variant="primary"
        isBusy={accept.isPending}
        onClick={() => accept.mutate({ body: { token: oneTimeToken } })}
      >
        {text.accept}
      </Button>
    </>
  );
}
