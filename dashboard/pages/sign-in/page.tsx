import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Fingerprint } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import type { SignInOptions } from '../../api/schema.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { Notice } from '../../kit/status.tsx';
import { useSearchState } from '../../shell/search.ts';
import { signInText } from '../../text/sign-in.ts';
import { useText } from '../../text/text.tsx';
import { Door } from '../shared/door.tsx';
import { LinkByMail } from './link-by-mail.tsx';
import { getPasskey, hasPasskeys } from './passkey.ts';
import { PasswordForm } from './password-form.tsx';
import { SecondFactor } from './second-factor.tsx';

type Step = 'password' | 'second' | 'reset' | 'register';

export function Page() {
  const text = useText(signInText);
  const [step, setStep] = useState<Step>('password');
  const options = useApi('getSignInOptions');
  const enter = useEntrance();
  const back = () => setStep('password');
  if (step === 'second')
    return (
      <Door title={text.secondTitle} about={text.secondText}>
        <SecondFactor onDone={enter} onBack={back} />
      </Door>
    );
  if (step === 'reset')
    return (
      <Door title={text.forgottenTitle} about={options.data?.password_reset ? text.forgottenText : text.forgottenAsk}>
        <LinkByMail operation="askForPasswordReset" isOpen={options.data?.password_reset === true} onBack={back} />
      </Door>
    );
  if (step === 'register')
    return (
      <Door title={text.register} about={text.registerText}>
        <LinkByMail operation="register" isOpen onBack={back} />
      </Door>
    );
  return (
    <Door title={text.signInTitle}>
      <IssuerProblem />
      <PasswordForm onDone={enter} onSecondFactor={() => setStep('second')} />
      <OtherWays options={options.data} onDone={enter} />
      <div className="flex flex-wrap justify-between gap-2">
        <Button variant="quiet" size="small" onClick={() => setStep('reset')}>
          {text.forgotten}
        </Button>
        {options.data?.registration === 'open' && (
          <Button variant="quiet" size="small" onClick={() => setStep('register')}>
            {text.register}
          </Button>
        )}
      </div>
    </Door>
  );
}

/** To where the person wanted to go: a page of this application, and nowhere else. */
function useEntrance(): () => Promise<void> {
  const { values } = useSearchState(['next']);
  const router = useRouter();
  const client = useQueryClient();
  return async () => {
    client.clear();
    const next = values.next.startsWith('/app/') ? values.next : '/';
    await router.navigate({ href: router.history.createHref(next).startsWith('/') ? next : '/', replace: true });
  };
}

/** What an issuer has sent the browser back with. */
function IssuerProblem() {
  const text = useText(signInText);
  const { values } = useSearchState(['error']);
  if (values.error === '') return null;
  return <Notice tone="bad">{text.issuerFailed(values.error.replaceAll('_', ' '))}</Notice>;
}

interface OtherWaysProps {
  readonly options: SignInOptions | undefined;
  readonly onDone: () => Promise<void>;
}

/** Passkeys and issuers. */
function OtherWays({ options, onDone }: OtherWaysProps) {
  const text = useText(signInText);
  const [hasFailed, setFailed] = useState(false);
  const social = useChange('authSignInSocial', {
    onDone: ({ url }) => {
      if (url !== undefined) location.assign(url);
    },
  });
  const withPasskey = async () => {
    setFailed(false);
    try {
      const response = await getPasskey(await call('authPasskeyGenerateAuthenticateOptions'));
      await call('authPasskeyVerifyAuthentication', { body: { response } });
      await onDone();
    } catch {
      // The browser says nothing of why: the person may simply have closed its dialog.
      setFailed(true);
    }
  };
  const callbackURL = new URL('app/sign-in', document.baseURI).href;
  return (
    <div className="flex flex-col gap-2">
      {hasPasskeys() && (
        <Button icon={Fingerprint} onClick={() => void withPasskey()}>
          {text.withPasskey}
        </Button>
      )}
      {hasFailed && (
        <Notice tone="bad" isLive>
          {text.passkeyFailed}
        </Notice>
      )}
      {(options?.providers ?? []).map(({ id, name }) => (
        <Button
          key={id}
          isBusy={social.isPending}
          onClick={() => social.mutate({ body: { provider: id, callbackURL } as never })}
        >
          {text.withProvider(name)}
        </Button>
      ))}
      {social.error && (
        <Notice tone="bad" isLive>
          {social.error.message}
        </Notice>
      )}
    </div>
  );
}
