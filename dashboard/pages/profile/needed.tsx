import { useQueryClient } from '@tanstack/react-query';
import { Fingerprint } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { Panel } from '../../kit/panel.tsx';
import { Notice } from '../../kit/status.tsx';
import { useEnter } from '../../shell/entrance.ts';
import { useSearchState } from '../../shell/search.ts';
import { useSession } from '../../shell/session.tsx';
import { profileText } from '../../text/profile.ts';
import { useText } from '../../text/text.tsx';
import { hasPasskeys, signInWithPasskey } from '../shared/passkey.ts';
import { verifyCode } from './you.tsx';

/** Continues to the page that was requested before the second factor. */
export function useGoOn(): () => Promise<void> {
  const enter = useEnter();
  const { values } = useSearchState(['next']);
  return () => enter(values.next);
}

/** Explains why the session is limited, and how to continue. */
export function Needed() {
  const text = useText(profileText);
  const { me } = useSession();
  const passkeys = useApi('authPasskeyListUserPasskeys');
  const hasOne = (passkeys.data ?? []).length > 0;
  const isVerifying = me.two_factor_enabled || hasOne;
  return (
    <>
      <Notice tone="warn" title={text.needed}>
        {isVerifying ? text.neededVerify : text.neededSetUp}
      </Notice>
      {isVerifying && (
        <Panel title={text.verify}>
          <div className="flex flex-col gap-4">
            {me.two_factor_enabled && <CodeForm />}
            {hasOne && hasPasskeys() && <WithPasskey />}
          </div>
        </Panel>
      )}
    </>
  );
}

function CodeForm() {
  const text = useText(profileText);
  const goOn = useGoOn();
  const [isBackup, setBackup] = useState(false);
  const form = useApiForm({
    defaultValues: { code: '' },
    send: async ({ code }) => {
      await verifyCode(code, isBackup);
      await goOn();
    },
  });
  return (
    <Form form={form}>
      <Field label={isBackup ? text.backup : text.code} error={form.errorOf('code')} className="max-w-64">
        <TextInput isCode autoFocus autoComplete="one-time-code" {...form.register('code')} />
      </Field>
      <FormError error={form.formError} />
      <FormActions submitLabel={text.verify} isBusy={form.isBusy}>
        <Button variant="quiet" size="small" onClick={() => setBackup(!isBackup)}>
          {isBackup ? text.useApp : text.useBackup}
        </Button>
      </FormActions>
    </Form>
  );
}

function WithPasskey() {
  const text = useText(profileText);
  const client = useQueryClient();
  const goOn = useGoOn();
  const [hasFailed, setFailed] = useState(false);
  const use = async () => {
    setFailed(false);
    try {
      await signInWithPasskey({});
    } catch {
      setFailed(true);
      return;
    }
    client.clear();
    await goOn();
  };
  return (
    <>
      <Button icon={Fingerprint} className="self-start" onClick={() => void use()}>
        {text.usePasskey}
      </Button>
      {hasFailed && (
        <Notice tone="bad" isLive>
          {text.passkeyFailed}
        </Notice>
      )}
    </>
  );
}
