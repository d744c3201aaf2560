import { Fingerprint } from 'lucide-react';
import { useState } from 'react';
import { useApi, useChange } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { Time } from '../../kit/format.tsx';
import { Panel } from '../../kit/panel.tsx';
import { ErrorBox, Loading, Notice } from '../../kit/status.tsx';
import { useToast } from '../../kit/toast.tsx';
import { profileText } from '../../text/profile.ts';
import { useText } from '../../text/text.tsx';
import { hasPasskeys, makePasskey } from '../shared/passkey.ts';
import { useRecentFactor } from '../shared/recent-factor.tsx';

const TOUCHED = ['authPasskeyListUserPasskeys', 'getMe'] as const;

export function Passkeys() {
  const text = useText(profileText);
  const passkeys = useApi('authPasskeyListUserPasskeys');
  return (
    <Panel title={text.passkeys} description={text.passkeysAbout}>
      <div className="flex flex-col gap-4">
        {passkeys.error ? (
          <ErrorBox error={passkeys.error} onRetry={() => void passkeys.refetch()} />
        ) : passkeys.data === undefined ? (
          <Loading />
        ) : passkeys.data.length === 0 ? (
          <p className="text-soft text-sm">{text.noPasskeys}</p>
        ) : (
          <ul className="flex flex-col gap-2">
            {passkeys.data.map(({ id, name, createdAt }) => (
              <Passkey key={id} id={id} name={name ?? text.unnamed} at={createdAt ?? null} />
            ))}
          </ul>
        )}
        {hasPasskeys() ? <AddPasskey /> : <Notice tone="neutral">{text.noSupport}</Notice>}
      </div>
    </Panel>
  );
}

function AddPasskey() {
  const text = useText(profileText);
  const toast = useToast();
  const register = useChange('authPasskeyVerifyRegistration', { touches: TOUCHED });
  const factor = useRecentFactor();
  const form = useApiForm({
    defaultValues: { name: text.passkeyNameValue },
    send: async ({ name }) => {
      await factor.run(async () => register.mutateAsync({ body: { response: await makePasskey(), name } }));
      toast.done(text.added);
    },
  });
  return (
    <Form form={form}>
      <Field label={text.passkeyName} error={form.errorOf('name')} className="max-w-md">
        <TextInput maxLength={100} {...form.register('name')} />
      </Field>
      {factor.dialog}
      <FormError error={form.formError} />
      <FormActions submitLabel={text.addPasskey} isBusy={form.isBusy} />
    </Form>
  );
}

function Passkey({ id, name, at }: { readonly id: string; readonly name: string; readonly at: string | null }) {
  const text = useText(profileText);
  const toast = useToast();
  const [open, setOpen] = useState<'rename' | 'remove' | null>(null);
  const rename = useChange('authPasskeyUpdatePasskey', { touches: TOUCHED });
  const remove = useChange('authPasskeyDeletePasskey', { touches: TOUCHED });
  const close = () => setOpen(null);
  const form = useApiForm({
    defaultValues: { name },
    send: async (values) => {
      await rename.mutateAsync({ body: { id, name: values.name } });
      close();
    },
  });
  if (open === 'rename')
    return (
      <li>
        <Form form={form}>
          <Field label={text.passkeyName} error={form.errorOf('name')} className="max-w-md">
            <TextInput autoFocus maxLength={100} {...form.register('name')} />
          </Field>
          <FormError error={form.formError} />
          <FormActions submitLabel={text.save} isBusy={form.isBusy} onCancel={close} />
        </Form>
      </li>
    );
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Fingerprint aria-hidden className="size-4 shrink-0 text-soft" />
      <span className="min-w-0 flex-1 break-words">{name}</span>
      {at !== null && (
        <span className="text-soft text-sm">
          <Time at={at} isRelative />
        </span>
      )}
      <Button size="small" aria-label={`${text.rename}: ${name}`} onClick={() => setOpen('rename')}>
        {text.rename}
      </Button>
      <Button size="small" aria-label={`${text.remove}: ${name}`} onClick={() => setOpen('remove')}>
        {text.remove}
      </Button>
      <ConfirmDialog
        title={text.removeTitle(name)}
        body={text.removeText}
        confirmLabel={text.remove}
        isDanger
        isOpen={open === 'remove'}
        onClose={close}
        onConfirm={async () => {
          await remove.mutateAsync({ body: { id } });
          toast.done(text.removed);
        }}
      />
    </li>
  );
}
