import { Fingerprint } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { SignInOptions } from '../../api/schema.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { useBrand } from '../../kit/brand.tsx';
import { Button } from '../../kit/button.tsx';
import { Notice } from '../../kit/status.tsx';
import { useEnter } from '../../shell/entrance.ts';
import { useSearchState } from '../../shell/search.ts';
import { signInText } from '../../text/sign-in.ts';
import { useText } from '../../text/text.tsx';
import { hasPasskeys } from '../shared/passkey.ts';
import { SecondFactorForm } from '../shared/second-factor-form.tsx';
import { SignedOutLayout } from '../shared/signed-out-layout.tsx';
import { LinkByMail } from './link-by-mail.tsx';
import { usePasskey } from './passkey.ts';
import { PasswordForm } from './password-form.tsx';

type Step = 'password' | 'second' | 'reset' | 'register';

export function Page() {
  const text = useText(signInText);
  const { name } = useBrand();
  const [step, setStep] = useState<Step>('password');
  const options = useApi('getSignInOptions');
  const { values } = useSearchState(['next']);
  const enterAt = useEnter();
  const enter = () => enterAt(values.next);
  // An issuer returns people to this page, who are then already signed in.
  const isIn = options.data?.signed_in === true;
  useEffect(() => {
    if (isIn) void enterAt(values.next);
  }, [isIn, enterAt, values.next]);
  const back = () => setStep('password');
  if (step === 'second')
    return (
      <SignedOutLayout title={text.secondTitle} about={text.secondText}>
        <SecondFactorForm onDone={enter} onBack={back} />
      </SignedOutLayout>
    );
  if (step === 'reset')
    return (
      <SignedOutLayout
        title={text.forgottenTitle}
        about={options.data?.password_reset ? text.forgottenText : text.forgottenAsk}
      >
        <LinkByMail operation="askForPasswordReset" isOpen={options.data?.password_reset === true} onBack={back} />
      </SignedOutLayout>
    );
  if (step === 'register')
    return (
      <SignedOutLayout title={text.register} about={text.registerText}>
        <LinkByMail operation="register" isOpen onBack={back} />
      </SignedOutLayout>
    );
  return (
    <SignedOutLayout title={text.signInTitle(name)}>
      <IssuerProblem />
      {options.data?.needs_first_operator && (
        <Notice tone="warn" title={text.noOperator}>
          {text.noOperatorText}
        </Notice>
      )}
      <PasswordForm onDone={enter} onSecondFactor={() => setStep('second')} />
      <OtherWays options={options.data} onDone={enter} />
      <div className="-mx-2 flex flex-wrap justify-between gap-2">
        <Button variant="quiet" size="small" onClick={() => setStep('reset')}>
          {text.forgotten}
        </Button>
        {options.data?.registration === 'open' && (
          <Button variant="quiet" size="small" onClick={() => setStep('register')}>
            {text.register}
          </Button>
        )}
      </div>
    </SignedOutLayout>
  );
}

/** The error with which an issuer has returned the browser. */
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
  const { values } = useSearchState(['next']);
  const passkey = usePasskey(onDone);
  const social = useChange('authSignInSocial', {
    onDone: ({ url }) => {
      if (url !== undefined) location.assign(url);
    },
  });
  const callback = new URL('app/sign-in', document.baseURI);
  if (values.next !== '') callback.searchParams.set('next', values.next);
  const providers = options?.providers ?? [];
  if (!hasPasskeys() && providers.length === 0) return null;
  return (
    <div className="flex flex-col gap-2">
      <p className="flex items-center gap-3 pb-2 text-soft text-sm before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        {text.or}
      </p>
      {hasPasskeys() && (
        <Button icon={Fingerprint} isBusy={passkey.isBusy} onClick={passkey.start}>
          {text.withPasskey}
        </Button>
      )}
      {passkey.hasFailed && (
        <Notice tone="bad" isLive>
          {text.passkeyFailed}
        </Notice>
      )}
      {providers.map(({ id, name }) => (
        <Button
          key={id}
          isBusy={social.isPending}
          onClick={() => social.mutate({ body: { provider: id, callbackURL: callback.href } })}
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
