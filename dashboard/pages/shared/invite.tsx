import { useState } from 'react';
import { Controller } from 'react-hook-form';
import { useChange } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { RadioCards } from '../../kit/choice.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { type ApiForm, Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { SecretBox } from '../../kit/secret.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useOwnLink } from '../../shell/use-own-address.ts';
import { membersText } from '../../text/members.ts';
import { useText } from '../../text/text.tsx';
import { AccountPicker } from './account-picker.tsx';

const ROLES = ['member', 'viewer', 'owner'] as const;
export type MemberRole = (typeof ROLES)[number];

interface InviteDialogProps {
  /** `null` for an operator, who chooses the account or invites another operator. */
  readonly accountId: string | null;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Creates an invitation; its link is shown once, unless it was sent by mail. */
export function InviteDialog({ accountId, isOpen, onClose }: InviteDialogProps) {
  const text = useText(membersText);
  const [link, setLink] = useState<string | null>(null);
  const close = () => {
    setLink(null);
    onClose();
  };
  if (link !== null)
    return (
      <Dialog
        title={text.linkTitle}
        isOpen={isOpen}
        onClose={close}
        isSticky
        footer={
          <Button variant="primary" onClick={close}>
            {text.done}
          </Button>
        }
      >
        <SecretBox secret={link} what={text.aLink} />
      </Dialog>
    );
  return (
    <Dialog
      title={accountId === null ? text.inviteUser : text.invite}
      description={text.inviteText}
      isOpen={isOpen}
      onClose={close}
    >
      <InviteForm accountId={accountId} onClose={close} onLink={setLink} />
    </Dialog>
  );
}

interface InviteFormProps extends Pick<InviteDialogProps, 'accountId' | 'onClose'> {
  readonly onLink: (link: string) => void;
}

interface InviteValues {
  email: string;
  way: 'account' | 'operator';
  account: string | undefined;
  role: MemberRole;
}

function InviteForm({ accountId, onClose, onLink }: InviteFormProps) {
  const text = useText(membersText);
  const toast = useToast();
  const ownLink = useOwnLink();
  const invite = useChange('createInvitation', { touches: ['listInvitations', 'listAudit'] });
  const form = useApiForm<InviteValues>({
    defaultValues: { email: '', way: 'account', account: accountId ?? undefined, role: 'member' },
    fieldOf: { account_id: 'account' },
    send: async ({ email, way, account, role }) => {
      const to = email.trim() === '' ? {} : { email: email.trim() };
      const made = await invite.mutateAsync(
        way === 'operator' || account === undefined
          ? { body: { ...to, operator: true } }
          : { query: { account_id: account }, body: { ...to, role } },
      );
      if (made.mailed === true) toast.done(text.mailed(email.trim()));
      if (made.link !== null) onLink(ownLink(made.link));
      else onClose();
    },
  });
  const roles = ROLES.map((value) => ({ value, label: text.roles[value], detail: text.rolesAbout[value] }));
  return (
    <Form form={form}>
      <Field label={text.email} help={text.emailHelp} error={form.errorOf('email')}>
        <TextInput type="email" autoComplete="off" maxLength={254} {...form.register('email')} />
      </Field>
      {accountId === null && <WhereTo form={form} />}
      {form.watch('way') === 'account' && (
        <Field label={text.role} error={form.errorOf('role')}>
          <Controller
            name="role"
            control={form.control}
            render={({ field: { value, onChange } }) => (
              <RadioCards label={text.role} value={value} onChange={onChange} options={roles} />
            )}
          />
        </Field>
      )}
      <FormError error={form.formError} />
      <FormActions submitLabel={text.makeLink} isBusy={form.isBusy} onCancel={onClose} />
    </Form>
  );
}

function WhereTo({ form }: { readonly form: ApiForm<InviteValues> }) {
  const text = useText(membersText);
  const ways = (['account', 'operator'] as const).map((value) => ({
    value,
    label: text.ways[value],
    detail: text.waysAbout[value],
  }));
  return (
    <>
      <Field label={text.way} error={form.errorOf('way')}>
        <Controller
          name="way"
          control={form.control}
          render={({ field: { value, onChange } }) => (
            <RadioCards label={text.way} value={value} onChange={onChange} options={ways} />
          )}
        />
      </Field>
      {form.watch('way') === 'account' && (
        <Field label={text.toAccount} error={form.errorOf('account')} isRequired>
          <Controller
            name="account"
            control={form.control}
            rules={{ required: text.chooseAccount }}
            render={({ field }) => <AccountPicker {...field} />}
          />
        </Field>
      )}
    </>
  );
}
